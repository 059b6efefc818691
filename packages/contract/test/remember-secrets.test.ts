import { describe, expect, it } from 'vitest'
import { createMasker } from '../src/masker.ts'
import { loadProject } from '../src/project.ts'
import { rememberSecrets } from '../src/remember-secrets.ts'
import { vocabulary } from './read-documents.ts'
import { temporaryFolder } from './temporary-folder.ts'

const text = `
mcp_servers:
  a:
    remote:
      url: https://a.example/mcp
      headers: { X-Key: "\${HEADER_KEY}", X-Other: { env: OTHER_KEY } }
      auth: { type: bearer, token: { file: token.txt } }
  b: { local: { command: b, env: { B_PASSWORD: { value: written-down } } } }
credentials: { vendor: { headers: { X-V: { env: VENDOR_KEY } }, servers: [a] } }
secrets: { PIN: { value: four-digits } }
`

describe('rememberSecrets', () => {
  it('masks every secret of a project before anything is called, and passes over what is not set', async () => {
    const folder = await temporaryFolder({ 'huntfleet.yaml': text, 'token.txt': 'from-a-file\n' })
    const { project, errors } = await loadProject({ vocabulary, workingDirectory: folder })
    expect(errors).toEqual([])
    const masker = createMasker([])
    await rememberSecrets(project, { HEADER_KEY: 'expanded-key', OTHER_KEY: 'from-the-env' }, masker)
    const said = 'expanded-key from-the-env from-a-file written-down four-digits'
    expect(masker.mask(said)).toBe('*** *** *** *** ***')
  })
})
