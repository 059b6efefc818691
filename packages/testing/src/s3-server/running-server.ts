/** A server that answers, as each way of starting one hands it back. */
export interface RunningServer {
  kind: 'given' | 'radosgw' | 'container'
  /** URL without a trailing slash; buckets are addressed by path. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}
