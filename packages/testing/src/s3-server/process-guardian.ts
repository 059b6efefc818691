import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Waits for a line or for the end of its input, which comes also when the test process is killed. Then it ends the
 * processes by their pid files and removes their folder. Without the line one may be starting this very moment, so that
 * it looks a second time.
 */
const script = `
read -r line
end_all() { for file in "$1"/run/*.pid; do [ -f "$file" ] && kill -9 "$(cat "$file")"; done; }
end_all "$1"
[ "$line" = stop ] || { sleep 1; end_all "$1"; }
rm -rf "$1"
`

/** Ends processes and removes their data, whatever becomes of the test process. */
export interface ProcessGuardian {
  /** Does it now; resolves when it is done. */
  stop(): Promise<void>
}

/** Guards the processes whose pid files are `<folder>/run/*.pid`, and the folder. */
export function guard(folder: string): ProcessGuardian {
  // In a session of its own: Ctrl-C ends the test process, and the guardian has still to act then.
  const child = spawn('sh', ['-c', script, 'guardian', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  const ended = once(child, 'exit')
  return {
    stop: async () => {
      child.ref()
      child.stdin.end('stop\n')
      await ended
    },
  }
}
