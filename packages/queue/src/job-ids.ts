/**
 * Ids of jobs: the same whenever a run is planned, so that planning twice adds nothing, and others for a retry, whose
 * jobs may stand beside those of the first execution. `~` occurs in no run id and in no table name.
 */

export function runJobId(runId: string, retry: number): string {
  return retry === 1 ? runId : `${runId}~${retry}`
}

export function tableJobId(runId: string, table: string, retry: number): string {
  return runJobId(`${runId}.${table}`, retry)
}

/** Which execution of its run a job belongs to. */
export function retryOfJob(jobId: string): number {
  return Number(/~([1-9]\d{0,8})$/.exec(jobId)?.[1] ?? 1)
}

/** The run of a run job. */
export function runOfRunJob(jobId: string): string {
  return jobId.replace(/~\d+$/, '')
}

/** The run of a table job: table names hold no dot, so it is what stands before the last one. */
export function runOfTableJob(jobId: string): string {
  return jobId.slice(0, Math.max(0, jobId.lastIndexOf('.')))
}
