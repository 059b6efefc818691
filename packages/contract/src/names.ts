import { z } from 'zod'

/** Names that become parts of paths, keys and job ids. Nothing else may (SPEC section 16.6). */

/** Tables and columns: letters, digits, `_`, at most 64. */
export const tableNamePattern = /^[A-Za-z0-9_]{1,64}$/
/** Strategies: lower-case letters, digits, `.`, `_`, `-`. */
export const strategyNamePattern = /^[a-z0-9][a-z0-9._-]{0,127}$/
/** Servers and credentials of the project file; a server's name is part of its queue's name. */
export const serverNamePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/
/** Run ids: `<hunt>.<slot>` or `<strategy>.<time>.<random>`. */
export const runIdPattern = /^[a-z0-9][A-Za-z0-9._-]{0,199}$/

export const tableName = z.string().regex(tableNamePattern)
export const strategyName = z.string().regex(strategyNamePattern)
export const serverName = z.string().regex(serverNamePattern)
export const runId = z.string().regex(runIdPattern)
