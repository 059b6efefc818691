import { afterEach, describe, expect, it } from 'vitest'
import { type OauthServer, type OauthServerOptions, startOauthServer } from '../src/oauth-server.ts'

let server: OauthServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(options: Partial<OauthServerOptions> = {}): Promise<OauthServer> {
  server = await startOauthServer({ clientId: 'fleet', clientSecret: 's3cret', ...options })
  return server
}

function ask(url: string, form: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(form) })
}

const credentials = { grant_type: 'client_credentials', client_id: 'fleet', client_secret: 's3cret' }

describe('startOauthServer', () => {
  it('issues tokens that it accepts until they are revoked', async () => {
    const oauth = await start({ expiresIn: 60 })
    const answer = JSON.parse(await (await ask(oauth.tokenUrl, credentials)).text())
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 60 })
    expect(oauth.accepts(`Bearer ${answer.access_token}`)).toBe(true)
    oauth.revokeAll()
    expect(oauth.accepts(`Bearer ${answer.access_token}`)).toBe(false)
  })

  it('refuses a wrong secret', async () => {
    const oauth = await start()
    const response = await ask(oauth.tokenUrl, { ...credentials, client_secret: 'guess' })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'invalid_client' })
  })

  it('publishes its metadata', async () => {
    const oauth = await start()
    const metadata = JSON.parse(
      await (await fetch(`${oauth.issuer}/.well-known/oauth-authorization-server`)).text(),
    )
    expect(metadata).toMatchObject({ issuer: oauth.issuer, token_endpoint: oauth.tokenUrl })
  })
})
