import { createHash, timingSafeEqual } from 'node:crypto'

/** Who may look at the dashboard. */
export type DashboardAuth =
  | { type: 'none' }
  | { type: 'basic'; users: Readonly<Record<string, { password: string }>> }
  | { type: 'bearer'; token: string }

/** Whether an Authorization header satisfies the configured authentication. Takes the same time for every wrong one. */
export function isAuthorized(header: string | undefined, auth: DashboardAuth): boolean {
  if (auth.type === 'none') return true
  const [scheme = '', credentials = ''] = (header ?? '').split(' ', 2)
  if (scheme.toLowerCase() !== auth.type) return false
  if (auth.type === 'bearer') return isSame(credentials, auth.token)
  const decoded = Buffer.from(credentials, 'base64').toString()
  const colon = decoded.indexOf(':')
  if (colon === -1) return false
  const name = decoded.slice(0, colon)
  const user = Object.hasOwn(auth.users, name) ? auth.users[name] : undefined
  // An unknown name is compared too, so that its answer comes no sooner.
  return isSame(decoded.slice(colon + 1), user?.password ?? '') && user !== undefined
}

/** The `WWW-Authenticate` header that asks for what is missing. */
export function challengeOf(auth: DashboardAuth): string {
  return auth.type === 'bearer' ? 'Bearer realm="huntfleet"' : 'Basic realm="huntfleet", charset="UTF-8"'
}

/** Hashes have one length, so not even the length of the secret shows. An empty secret opens nothing. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected)) && expected !== ''
}
