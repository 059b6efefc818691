import { isLoopback } from './loopback.ts'

/**
 * Whether a request's Host header names this dashboard. A page of another origin can make its name resolve to our
 * address (DNS rebinding) and would then read everything as its own; but the browser still sends that page's name.
 */
export function isAllowedHost(header: string | undefined, allowed: ReadonlySet<string>): boolean {
  const name = hostName(header)
  return name !== null && (isLoopback(name) || allowed.has(name))
}

/** The name of a Host header, without the port and in lower case; null: it is none. */
function hostName(header: string | undefined): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header ?? '')
  return match?.[1]?.toLowerCase() ?? null
}
