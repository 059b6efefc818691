export * from './close-on-signals.ts'
export type { HealthAddress } from './health.ts'
export * from './run-worker.ts'
export type { RunningWorker } from './start-worker.ts'
