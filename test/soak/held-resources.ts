import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What this process holds of the system, by kind; what grows from fetch to fetch is a leak. */
export interface HeldResources {
  childProcesses: number
  /** Sockets and pipes, connected or idle. */
  sockets: number
  /** Timers that keep the process alive. */
  timers: number
  /** Listeners on the process itself. */
  listeners: number
}

/** Counts them, from /proc where there is one. */
export function heldResources(): HeldResources {
  const active = process.getActiveResourcesInfo()
  return {
    childProcesses: childProcesses(),
    sockets: sockets(),
    timers: active.filter((kind) => kind === 'Timeout' || kind === 'Immediate').length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  }
}

function childProcesses(): number {
  try {
    const tasks = readdirSync('/proc/self/task')
    const lists = tasks.map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim())
    return lists.join(' ').split(' ').filter(Boolean).length
  } catch {
    return 0
  }
}

function sockets(): number {
  try {
    return readdirSync('/proc/self/fd').filter((fd) => /^(?:socket|pipe):/.test(targetOf(fd))).length
  } catch {
    return 0
  }
}

/** Empty for one that was closed meanwhile. */
function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
