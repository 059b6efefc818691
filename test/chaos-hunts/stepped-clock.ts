/** A clock of this process that a test can set forward and back, as a badly kept machine would. */

const Real = Date
let offsetMs = 0
const now = (): number => Real.now() + offsetMs

/** Replaces the clock of the process; what is sent to it as a number of milliseconds steps it. */
export function stepClockByMessages(): void {
  globalThis.Date = new Proxy(Real, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
  process.on('message', (step) => {
    if (typeof step === 'number') offsetMs += step
  })
}
