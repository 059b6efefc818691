/**
 * The HTTP servers of the soak test as a process of their own, so that their sockets are not counted among ours. Prints
 * one line of JSON, name → URL, and ends when stdin does.
 */
import { startScriptedMcp } from '@huntfleet/testing'
import { faultySources } from './faulty-servers.ts'

const started = Object.entries(faultySources).flatMap(([name, { script, http }]) =>
  http === undefined ? [] : [startScriptedMcp(script, http).then(({ url }) => [name, url] as const)],
)
process.stdout.write(`${JSON.stringify(Object.fromEntries(await Promise.all(started)))}\n`)
process.stdin.resume().on('end', () => process.exit(0))
