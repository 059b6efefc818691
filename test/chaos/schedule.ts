import type { FaultRule } from '@huntfleet/testing'
import { slowDown } from '@huntfleet/testing'
import { type SeededRandom, seededRandom } from '../fuzz/seeded-random.ts'

/** Something that goes wrong. Times are milliseconds. */
export type ChaosEvent =
  /** SIGKILL. */
  | { kind: 'kill'; worker: number }
  /** SIGTERM: the worker hands its tables back. */
  | { kind: 'term'; worker: number }
  /** SIGSTOP and, after `ms`, SIGCONT: often longer than its locks live. */
  | { kind: 'freeze'; worker: number; ms: number }
  /** SIGKILL and, after `ms`, a restart from the append-only file. */
  | { kind: 'redis-kill'; ms: number }
  | { kind: 'redis-freeze'; ms: number }
  /** The next requests to storage that match meet these faults. */
  | { kind: 'storage'; rules: FaultRule[] }
  /** For so long, so many of the sources' answers go wrong. */
  | { kind: 'source'; rate: number; ms: number }

export interface ScheduledEvent {
  /** Milliseconds after the event before. */
  gapMs: number
  event: ChaosEvent
}

export interface ScheduleOptions {
  seed: number
  workers: number
  /** Mean time between two events, in milliseconds. */
  meanGapMs: number
  /** Life of a lock: freezes are measured by it. */
  lockMs: number
  /** Whether storage is behind a proxy that can fail. */
  storageFaults: boolean
}

/** How often each kind of event comes, in hundredths. */
const weights: readonly [ChaosEvent['kind'], number][] = [
  ['kill', 46],
  ['term', 18],
  ['freeze', 12],
  ['redis-kill', 3],
  ['redis-freeze', 3],
  ['storage', 11],
  ['source', 7],
]

/** The events of a seed, without end: the same seed and options give the same events. */
export function* schedule(options: ScheduleOptions): Generator<ScheduledEvent, never> {
  const random = seededRandom(options.seed)
  for (;;) {
    const gapMs = Math.round(between(random, 0.2, 1.8) * options.meanGapMs)
    yield { gapMs, event: eventOf(kindOf(random, options), random, options) }
  }
}

function kindOf(random: SeededRandom, { storageFaults }: ScheduleOptions): ChaosEvent['kind'] {
  const possible = weights.filter(([kind]) => kind !== 'storage' || storageFaults)
  let draw = random.below(possible.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [kind, weight] of possible) {
    if (draw < weight) return kind
    draw -= weight
  }
  throw new Error('the weights do not add up')
}

function eventOf(kind: ChaosEvent['kind'], random: SeededRandom, options: ScheduleOptions): ChaosEvent {
  const { lockMs } = options
  switch (kind) {
    case 'kill':
    case 'term':
      return { kind, worker: random.below(options.workers) }
    case 'freeze':
      return { kind, worker: random.below(options.workers), ms: rounded(random, 0.4 * lockMs, 2.2 * lockMs) }
    case 'redis-kill':
      return { kind, ms: rounded(random, 100, 1.5 * lockMs) }
    case 'redis-freeze':
      return { kind, ms: rounded(random, 100, 1.4 * lockMs) }
    case 'storage':
      return { kind, rules: Array.from({ length: 1 + random.below(3) }, () => storageRule(random)) }
    case 'source':
      return { kind, rate: between(random, 0.25, 0.95), ms: rounded(random, 1_000, 4_000) }
  }
}

/** Everything that stands between a client and its storage, one request or a few in a row. */
function storageRule(random: SeededRandom): FaultRule {
  const times = 1 + random.below(4)
  const data = /\.parquet|manifest/
  return random.pick<() => FaultRule>([
    () => ({ times, fault: { kind: 'drop' } }),
    () => ({
      times,
      fault: { kind: 'answer', status: 500, body: '<Error><Code>InternalError</Code></Error>' },
    }),
    () => ({ times, fault: slowDown }),
    () => ({ times, fault: { kind: 'slow', ms: rounded(random, 200, 3_000) } }),
    // Only where there is a body that is longer than the piece.
    () => ({
      times,
      method: 'PUT',
      path: data,
      fault: { kind: 'cutRequest', afterBytes: 1 + random.below(300) },
    }),
    () => ({ times, fault: { kind: 'cutAnswer', afterBytes: 1 + random.below(100) } }),
    () => ({ times, method: 'PUT', path: data, fault: { kind: 'loseAnswer' } }),
    () => ({ times: 1, method: 'POST', fault: { kind: 'loseAnswer' } }),
  ])()
}

const between = (random: SeededRandom, low: number, high: number): number =>
  low + (random.below(10_000) / 10_000) * (high - low)

const rounded = (random: SeededRandom, low: number, high: number): number =>
  Math.round(between(random, low, high))
