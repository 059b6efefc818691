import { RunError } from '@huntfleet/contract'
import { openProducer, type Producer, type QueueLog, type RedisSettings } from '@huntfleet/queue'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { challengeOf, type DashboardAuth, isAuthorized } from './dashboard-auth.ts'
import { isAllowedHost } from './host-allow-list.ts'
import { serveHunts } from './hunts-api.ts'
import { isLoopback } from './loopback.ts'
import { metricsPage, metricsType } from './metrics-page.ts'
import { serveQueueBoard } from './queue-board.ts'

export interface DashboardOptions {
  redis: RedisSettings
  /** Default: 127.0.0.1. */
  host?: string
  /** Default: 4400; 0: any free port. */
  port?: number
  /** Default: none. */
  auth?: DashboardAuth
  /** Host names, beside loopback and `host`, by which browsers may ask for the dashboard. */
  allowedHosts?: readonly string[]
  logger: QueueLog
}

export interface Dashboard {
  /** Such as `http://127.0.0.1:4400`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves Bull Board at `/queues`, the hunts at `/api/hunts`, `/healthz` and `/metrics`. Throws `RunError` QUEUE_UNREACHABLE when Redis does not
 * answer, PROJECT_INVALID when the address cannot be had.
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host = '127.0.0.1', port = 4400, auth = { type: 'none' }, logger } = options
  const producer = await openProducer({ redis: options.redis })
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onClose', () => producer.close())
  try {
    guard(app, { auth, local: isLoopback(host), hosts: allowedHosts(host, options.allowedHosts ?? []) })
    servePages(app, producer)
    serveHunts(app, producer)
    await serveQueueBoard(app, '/queues', producer)
    const url = await listen(app, host, port)
    if (auth.type === 'none' && !isLoopback(host)) {
      logger.warn('anybody who reaches the dashboard may read it; set dashboard.auth', { host })
    }
    logger.info('dashboard ready', { url })
    return { url, close: () => app.close() }
  } catch (thrown) {
    await app.close()
    throw thrown
  }
}

function allowedHosts(host: string, more: readonly string[]): ReadonlySet<string> {
  return new Set([host, ...more].map((name) => name.toLowerCase()))
}

interface Guard {
  auth: DashboardAuth
  /** The dashboard listens on loopback only. */
  local: boolean
  hosts: ReadonlySet<string>
}

/** Every request passes here first; `/healthz` says nothing and is asked by probes that use an address as a name. */
function guard(app: FastifyInstance, { auth, local, hosts }: Guard): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    const route = request.routeOptions.url
    if (route === '/healthz') return
    if (!isAllowedHost(request.headers.host, hosts)) {
      return reply
        .code(403)
        .send({ error: 'this host name is not allowed; add it to dashboard.allowed_hosts' })
    }
    if (route === '/metrics') return guardMetrics(request, reply, auth, local)
    if (!isAuthorized(request.headers.authorization, auth)) return challenge(reply, auth)
  })
}

/** Metrics are open to this machine itself, also beside authentication, and to nobody else without it. */
async function guardMetrics(
  request: FastifyRequest,
  reply: FastifyReply,
  auth: DashboardAuth,
  local: boolean,
) {
  // A proxy on this machine speaks for somebody else.
  const proxied =
    request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined
  if (local && !proxied && isLoopback(request.socket.remoteAddress)) return
  if (auth.type === 'none') {
    return reply
      .code(403)
      .send({ error: 'off this machine /metrics needs authentication; set dashboard.auth' })
  }
  if (!isAuthorized(request.headers.authorization, auth)) return challenge(reply, auth)
}

function challenge(reply: FastifyReply, auth: DashboardAuth): FastifyReply {
  return reply
    .code(401)
    .header('www-authenticate', challengeOf(auth))
    .send({ error: 'authentication is required' })
}

function servePages(app: FastifyInstance, producer: Producer): void {
  app.get('/', async (_request, reply) => reply.redirect('/queues'))
  app.get('/healthz', async (_request, reply) => {
    const answers = await producer.checkRedis().then(
      () => true,
      () => false,
    )
    return reply.code(answers ? 200 : 503).send({ ready: answers })
  })
  app.get('/metrics', async (_request, reply) => reply.type(metricsType).send(await metricsPage(producer)))
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const hint = 'set dashboard.host and dashboard.port to an address that is free'
    throw new RunError(
      'PROJECT_INVALID',
      `the dashboard cannot listen on ${host}:${port}: ${why}`,
      { hint },
      thrown,
    )
  }
}
