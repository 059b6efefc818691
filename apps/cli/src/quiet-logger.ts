import type { Logger } from '@huntfleet/engine'

const silent = () => {}

/** Commands speak through their output; what a worker would log has no place there. */
export const quietLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent }
