import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import { openQueue, type Producer, runQueue, serverOf, tickQueue } from '@huntfleet/queue'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'

const descriptions: Readonly<Record<string, string>> = {
  [tickQueue]: 'One job per tick of a schedule',
  [runQueue]: 'One job per run; its tables are its children',
}

/**
 * Serves Bull Board below `path`: all queues of the fleet, their jobs, progress, logs and flows, and nothing that
 * changes anything.
 */
export async function serveQueueBoard(app: FastifyInstance, path: string, producer: Producer): Promise<void> {
  const shown = new Map<string, ReturnType<typeof openQueue>>()
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(path)
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    // Listing the workers of 50 queues takes most of the 1,900 commands that one look costs (measured).
    options: { uiConfig: { boardTitle: 'Huntfleet', showMetrics: true, showWorkers: false } },
  })
  const addNewQueues = async (): Promise<void> => {
    for (const name of await producer.listQueues()) {
      if (shown.has(name)) continue
      const queue = openQueue(producer.fleet, name)
      shown.set(name, queue)
      board.addQueue(new BullMQAdapter(queue, { readOnlyMode: true, description: describe(name) }))
    }
  }
  app.addHook('onClose', async () => {
    await Promise.all([...shown.values()].map((queue) => queue.close()))
  })
  const plugin: FastifyPluginAsync = async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      // Bull Board's read-only mode refuses most changes by itself; this refuses those of its next version too.
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return reply.code(405).send({ error: 'the queues are read-only here; use the command line' })
      }
      // With every look, so that the queue of a new server is there without a restart.
      await addNewQueues()
    })
    await scope.register(serverAdapter.registerPlugin(), { prefix: path })
  }
  await app.register(plugin)
}

function describe(queue: string): string {
  return descriptions[queue] ?? `Tables of the server ${serverOf(queue)}`
}
