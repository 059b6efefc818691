/** The braces put every key of a fleet into one slot of a Redis cluster, as flows and fenced writes need. */
const defaultPrefix = '{huntfleet}'

/** Redis keys of our own; BullMQ's keys are `<prefix>:<queue>:…` beside them. */
export interface FleetKeys {
  readonly prefix: string
  /** Hash: the record of a run. */
  run(runId: string): string
  /** Sorted set: run ids by the time they were queued, in milliseconds. */
  readonly runs: string
  /** String: the payload of a run, as its job had it. */
  payload(runId: string): string
  /** Sorted set: ids of runs that have not ended, by the time they were queued, in milliseconds. */
  readonly openRuns: string
  /** String that expires: a worker has looked after the open runs. */
  readonly sweep: string
  /** Hash: bytes, pages and calls that an execution of a run has spent. */
  spent(runId: string, retry: number): string
  /** String: the turn that a source has reached in its normal or low band, see `fair-order.ts`. */
  turn(server: string, band: 'normal' | 'low'): string
  /** String: a random name of the data in this Redis. */
  readonly dataName: string
  /** Set: names that the data had before it was lost. */
  readonly lostData: string
  /** String, set once the run is cancelled. */
  cancelFlag(runId: string): string
  /** Pub/sub: ids of runs as they are cancelled. */
  readonly cancelChannel: string
  /** Set: servers that have, or once had, a source queue. */
  readonly sources: string
  /** Set: ids of workers, some of them dead. */
  readonly workers: string
  /** String that expires when the worker's heartbeat stops. */
  worker(id: string): string
  /** Sorted set: calls to a server within the last minute, by time. */
  calls(server: string): string
  /** Counter: calls to a server on a day of UTC. */
  callsOfDay(server: string, day: string): string
  /** String that expires when a server may be called again. */
  pause(server: string): string
  /** Hash: how far calls to a server are spaced out after rate limits. */
  pace(server: string): string
  /** Hash: the checkpoint of a table job, see `redis-checkpoint.ts`. */
  checkpoint(jobId: string): string
  /** String: a table that runs may share, by the fingerprint of its fetch. */
  sharedTable(fingerprint: string): string
  /** String that expires: who is fetching it now. */
  sharedClaim(fingerprint: string): string
  /** Set: names of hunts that are scheduled. */
  readonly hunts: string
  /** Hash: what is remembered of a hunt. */
  hunt(name: string): string
  /** Hash: the ledger of a hunt, a line per slot. */
  slots(hunt: string): string
  /** Sorted set: its slots by their time. */
  slotOrder(hunt: string): string
  /** Sorted set: its slots by the time at which they were written last. */
  slotAge(hunt: string): string
  /** String: when a worker looked at the schedules last. */
  readonly scheduleSeen: string
  /** Sorted set: times in which no worker did, by their end. */
  readonly scheduleOutages: string
  /** String: a name for the data as a whole, gone when they are. */
  readonly scheduleEpoch: string
  /** BullMQ's lock of a job: holds the token of the worker that may speak for it. */
  lock(queue: string, jobId: string): string
}

export function fleetKeys(prefix: string = defaultPrefix): FleetKeys {
  return {
    prefix,
    run: (runId) => `${prefix}:run:${runId}`,
    runs: `${prefix}:runs`,
    payload: (runId) => `${prefix}:payload:${runId}`,
    openRuns: `${prefix}:open`,
    sweep: `${prefix}:sweep`,
    spent: (runId, retry) => `${prefix}:spent:${runId}:${retry}`,
    turn: (server, band) => `${prefix}:turn:${band}:${server}`,
    dataName: `${prefix}:data`,
    lostData: `${prefix}:lost-data`,
    cancelFlag: (runId) => `${prefix}:cancel:${runId}`,
    cancelChannel: `${prefix}:cancel`,
    sources: `${prefix}:sources`,
    workers: `${prefix}:workers`,
    worker: (id) => `${prefix}:worker:${id}`,
    calls: (server) => `${prefix}:calls:${server}`,
    callsOfDay: (server, day) => `${prefix}:calls:${server}:${day}`,
    pause: (server) => `${prefix}:pause:${server}`,
    pace: (server) => `${prefix}:pace:${server}`,
    checkpoint: (jobId) => `${prefix}:checkpoint:${jobId}`,
    sharedTable: (fingerprint) => `${prefix}:shared:${fingerprint}`,
    sharedClaim: (fingerprint) => `${prefix}:shared-claim:${fingerprint}`,
    hunts: `${prefix}:hunts`,
    hunt: (name) => `${prefix}:hunt:${name}`,
    slots: (hunt) => `${prefix}:slots:${hunt}`,
    slotOrder: (hunt) => `${prefix}:slot-order:${hunt}`,
    slotAge: (hunt) => `${prefix}:slot-age:${hunt}`,
    scheduleSeen: `${prefix}:schedule-seen`,
    scheduleOutages: `${prefix}:schedule-outages`,
    scheduleEpoch: `${prefix}:schedule-epoch`,
    lock: (queue, jobId) => `${prefix}:${queue}:${jobId}:lock`,
  }
}
