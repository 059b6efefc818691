import { cpSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { openLocalStore } from '../src/local-store.ts'
import { publishRun } from './publish-run.ts'

/**
 * A process that publishes a run. Before each step, that is each call that changes the file system, it copies the folder
 * as it then is to `<copies>/<step>`; before the step `killAt` it kills itself.
 * Arguments: the folder, the attempt, the folder for the copies, the step.
 */
const [folder = '', attempt = '', copies = '', killAt] = process.argv.slice(2)
let steps = 0

function beforeStep(): void {
  steps += 1
  if (String(steps) === killAt) process.kill(process.pid, 'SIGKILL')
  cpSync(folder, join(copies, String(steps)), { recursive: true })
}

function watch(methods: object, ...names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(methods, name)
    if (typeof method !== 'function') throw new Error(`there is no ${name}`)
    Reflect.set(methods, name, function (this: unknown, ...args: readonly unknown[]) {
      beforeStep()
      return Reflect.apply(method, this, args)
    })
  }
}

const store = await openLocalStore(folder)
const handle = await files.open('/dev/null')
watch(Object.getPrototypeOf(handle), 'writeFile', 'sync')
await handle.close()
watch(files, 'link', 'rename', 'rm', 'rmdir', 'mkdir')
syncBuiltinESMExports()
await publishRun(store, attempt)
