/**
 * How long after its begin a run may publish its manifest, in milliseconds. From then on nobody will ever name its files,
 * so that whoever removes what no manifest names only has to wait longer than this.
 */
export const publishWithinMs = 3 * 24 * 60 * 60 * 1000

/** The last moment to publish a run that began at `startedAt` (ISO 8601), in milliseconds since the epoch. */
export function publishDeadline(startedAt: string): number {
  return Date.parse(startedAt) + publishWithinMs
}
