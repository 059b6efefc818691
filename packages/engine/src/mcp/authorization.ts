import type { Clock } from '../ports.ts'
import { OauthToken } from './oauth-client-credentials.ts'
import type { ServerAuth } from './server-config.ts'

/** What proves to a server who we are. One object per server and credential, shared by its sessions. */
export interface Authorization {
  /** Headers of a request; throws `SECRET_UNSET` or `SOURCE_DENIED` when there is nothing to send. */
  headers(signal: AbortSignal): Promise<Record<string, string>>
  /** After a 401 for `rejected`: whether there are other credentials now, worth one more try. */
  renew(rejected: Record<string, string>, signal: AbortSignal): Promise<boolean>
}

/** The authorization that a server's config asks for. */
export function authorizationFor(server: string, auth: ServerAuth, clock: Clock): Authorization {
  switch (auth.type) {
    case 'none':
      return { headers: async () => ({}), renew: async () => false }
    case 'bearer':
      return secretHeader('authorization', async () => `Bearer ${(await auth.token()).trim()}`)
    case 'header':
      return secretHeader(auth.name.toLowerCase(), async () => (await auth.value()).trim())
    case 'basic':
      return secretHeader('authorization', async () => {
        const pair = `${await auth.username()}:${(await auth.password()).trim()}`
        return `Basic ${Buffer.from(pair).toString('base64')}`
      })
    case 'oauth_client_credentials': {
      const token = new OauthToken(server, auth, clock)
      return {
        headers: async (signal) => ({ authorization: `Bearer ${await token.get(signal)}` }),
        renew: (rejected, signal) =>
          token.renew((rejected['authorization'] ?? '').slice('Bearer '.length), signal),
      }
    }
  }
}

/** A header whose value is read anew for every request; after a 401 it is tried again only if it has changed. */
function secretHeader(name: string, read: () => Promise<string>): Authorization {
  return {
    headers: async () => ({ [name]: await read() }),
    renew: async (rejected) => (await read()) !== rejected[name],
  }
}
