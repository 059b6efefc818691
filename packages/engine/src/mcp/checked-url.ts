import { RunError } from '@huntfleet/contract'
import type { HttpTransportConfig, ServerAuth } from './server-config.ts'

/** Whether an address is this machine, so that nobody on the way can read what is sent there. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
  )
}

/** Query parameters that look like a secret. */
const secretParameter = /key|token|secret|passw|credential|sig(?:nature)?$/i

/**
 * The address of a server, checked before anything is sent: http or https, no user info, and no credentials over
 * plain http to another machine (`CREDENTIAL_REFUSED`, SPEC 16.5). Any configured header counts as a credential.
 */
export function checkedUrl(server: string, config: HttpTransportConfig, auth: ServerAuth): URL {
  const where = `mcp_servers.${server}.remote.url`
  if (!URL.canParse(config.url)) {
    throw new RunError('SERVER_REFUSED', `server "${server}": its url is not an absolute URL`, {
      hint: `set ${where} to something like https://mcp.example.com/mcp`,
    })
  }
  const url = new URL(config.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RunError(
      'SERVER_REFUSED',
      `server "${server}": url has the scheme "${url.protocol}", not http or https`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new RunError('CREDENTIAL_REFUSED', `server "${server}": user and password stand in the url`, {
      hint: `take them out of ${where} and set auth: { type: basic, … }`,
    })
  }
  const carriesCredentials =
    auth.type !== 'none' ||
    Object.keys(config.headers).length > 0 ||
    [...url.searchParams.keys()].some((name) => secretParameter.test(name))
  if (url.protocol === 'http:' && carriesCredentials && !isLoopback(url) && config.allowInsecure !== true) {
    throw new RunError(
      'CREDENTIAL_REFUSED',
      `server "${server}": credentials would go over plain http to ${url.host}`,
      {
        hint: `use https in ${where}`,
      },
    )
  }
  return url
}
