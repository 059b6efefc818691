/** Names of queues. A source has a queue of its own, so that its limit holds over all workers of the fleet. */

export const tickQueue = 'hunt-tick'
export const runQueue = 'hunt-run'
const sourcePrefix = 'src-'

/** The queue of an MCP server's tables. Server names hold no `:`, which BullMQ forbids in queue names. */
export function sourceQueue(server: string): string {
  return `${sourcePrefix}${server}`
}

/** The server of a source queue; null for the other queues. */
export function serverOf(queue: string): string | null {
  return queue.startsWith(sourcePrefix) ? queue.slice(sourcePrefix.length) : null
}
