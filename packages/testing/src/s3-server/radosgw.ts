import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PortBlock, reservePorts } from './port-block.ts'
import { guard } from './process-guardian.ts'
import { radosgwConfig } from './radosgw-config.ts'
import { inRoot } from './radosgw-root.ts'
import type { RunningServer } from './running-server.ts'

/** Longest that one start command may take, and that the gateway may take to listen. */
const patienceMs = 20_000
/** A start fails when a stranger takes one of our ports in between. */
const startAttempts = 3

interface Keys {
  accessKeyId: string
  secretAccessKey: string
}

/**
 * Starts Ceph's S3 gateway on a private cluster in a temporary folder; about 1.5 s on an idle machine. `root` is the
 * folder of the system whose programs are used, empty for this one.
 */
export async function startRadosgw(root = ''): Promise<RunningServer> {
  const failures: unknown[] = []
  for (let attempt = 0; attempt < startAttempts; attempt++) {
    const ports = await reservePorts()
    try {
      return await startOn(ports, root)
    } catch (error) {
      ports.release()
      failures.push(error)
    }
  }
  throw new AggregateError(
    failures,
    `radosgw did not start in ${startAttempts} attempts: ${failures.join('; ')}`,
  )
}

async function startOn(ports: PortBlock, root: string): Promise<RunningServer> {
  const folder = await mkdtemp(join(root, tmpdir(), 'huntfleet-s3-'))
  const guardian = guard(folder)
  // Keys of its own make sure that a test never talks to another instance by accident.
  const keys = {
    accessKeyId: randomBytes(8).toString('hex'),
    secretAccessKey: randomBytes(16).toString('hex'),
  }
  try {
    await startDaemons(folder, root, ports.first, keys)
  } catch (error) {
    await guardian.stop()
    throw error
  }
  return {
    kind: 'radosgw',
    endpoint: `http://127.0.0.1:${ports.first}`,
    region: 'us-east-1',
    ...keys,
    stop: async () => {
      await guardian.stop()
      ports.release()
    },
  }
}

async function startDaemons(folder: string, root: string, port: number, keys: Keys): Promise<void> {
  for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'ceph.conf'), radosgwConfig(folder.slice(root.length), port))
  for (const command of startCommands(folder.slice(root.length), port, keys))
    await run(folder, root === '' ? command : inRoot(root, command))
  await untilListening(port)
}

/** The keys of the daemons, the monitor, the object daemon, a user, the gateway. */
function startCommands(folder: string, port: number, keys: Keys): string[][] {
  const config = join(folder, 'ceph.conf')
  const keyring = join(folder, 'keyring')
  const map = join(folder, 'monmap')
  const disk = randomUUID()
  const addKey = (name: string, ...capabilities: string[]): string[] => [
    ...['ceph-authtool', keyring, '--gen-key', '-n', name],
    ...capabilities.flatMap((capability) => ['--cap', ...capability.split(': ')]),
  ]
  return [
    ['ceph-authtool', '--create-keyring', keyring],
    addKey('mon.', 'mon: allow *'),
    addKey('client.admin', 'mon: allow *', 'osd: allow *', 'mgr: allow *'),
    addKey('client.rgw.a', 'mon: allow rw', 'osd: allow rwx'),
    addKey('osd.0', 'mon: allow profile osd', 'osd: allow *'),
    ['monmaptool', '-c', config, '--create', '--addv', 'a', `[v2:127.0.0.1:${port + 1}]`, map],
    ['ceph-mon', '-c', config, '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring],
    ['ceph-mon', '-c', config, '-i', 'a'],
    ['ceph', '-c', config, 'osd', 'new', disk],
    ['ceph-osd', '-c', config, '--mkfs', '-i', '0', '--osd-uuid', disk],
    ['ceph', '-c', config, 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost'],
    ['ceph-osd', '-c', config, '-i', '0'],
    [
      ...['radosgw-admin', '-c', config, 'user', 'create', '--uid=test', '--display-name=test'],
      ...[`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`],
    ],
    ['radosgw', '-c', config, '-n', 'client.rgw.a'],
  ]
}

/**
 * Runs a command to its end, with a pid file meanwhile, since one that waits for a monitor which has been killed waits
 * for ever. Its output goes to a file: a daemon keeps the streams open that it inherits.
 */
async function run(folder: string, command: readonly string[]): Promise<void> {
  const log = join(folder, 'log', 'start.log')
  const pidFile = join(folder, 'run', 'start.pid')
  const file = await open(log, 'a')
  try {
    const child = spawn('sh', ['-c', 'echo $$ > "$0" && exec "$@"', pidFile, ...command], {
      stdio: ['ignore', file.fd, file.fd],
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    })
    const [code]: unknown[] = await once(child, 'exit')
    if (code === 0) return
    const output = await readFile(log, 'utf8')
    throw new Error(`${command[0]} ended with ${code}: ${output.trim().split('\n').slice(-3).join(' | ')}`)
  } finally {
    await rm(pidFile, { force: true })
    await file.close()
  }
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await sleep(20)
    } finally {
      socket.destroy()
    }
  }
  throw new Error(`radosgw does not listen on port ${port} after ${patienceMs / 1000} s`)
}
