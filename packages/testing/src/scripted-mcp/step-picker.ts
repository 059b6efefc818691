import { atDotPath, isRecord } from './dot-path.ts'
import type { Script, Step } from './script.ts'

/** Chooses the step that answers a call, and counts how often each was used. */
export class StepPicker {
  readonly #script: Script
  readonly #used = new Map<Step, number>()

  constructor(script: Script) {
    this.#script = script
  }

  /** The first step that matches and is not used up; if none is, a tool error that says so, with index -1. */
  pick(tool: string, args: Record<string, unknown>): { step: Step; index: number } {
    const steps = Object.hasOwn(this.#script.script, tool) ? (this.#script.script[tool] ?? []) : []
    for (const [index, step] of steps.entries()) {
      const used = this.#used.get(step) ?? 0
      if (used >= (step.times ?? Number.POSITIVE_INFINITY) || !matches(step, args)) continue
      this.#used.set(step, used + 1)
      return { step, index }
    }
    const text = `scripted server: no step for ${tool} ${JSON.stringify(args)}`
    return { step: { isError: true, text }, index: -1 }
  }
}

function matches(step: Step, args: Record<string, unknown>): boolean {
  return Object.entries(step.when ?? {}).every(([path, want]) => {
    const have = atDotPath(args, path)
    if (isRecord(want) && want['$absent'] === true) return have === undefined
    return JSON.stringify(have) === JSON.stringify(want)
  })
}
