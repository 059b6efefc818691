import type { Script, ScriptedHttpOptions, Step } from '@huntfleet/testing'

/** A server whose second page goes wrong for every fetch that asks for `kind: fault`; the others get 30 rows. */
interface FaultySource {
  script: Script
  /** Of an HTTP server; a program on stdio has none. */
  http?: ScriptedHttpOptions
  /** Further keys of its entry in the project file. */
  entry?: object
}

export const rowsPerPage = 10
export const rowsPerTable = 30

function script(fault: Step, more: Partial<Script> = {}, always: Step = {}): Script {
  const table = {
    rows: rowsPerTable,
    row: { id: '$i' },
    page: { by: 'offset', offset: 'offset', limit: 'limit' },
  } as const
  const steps = [
    { when: { kind: 'fault', offset: rowsPerPage }, ...fault },
    { ...always, table },
  ]
  return { tools: [{ name: 'fetch' }], script: { fetch: steps }, ...more }
}

/** Ten servers, and what is wrong with each. */
export const faultySources: Readonly<Record<string, FaultySource>> = {
  cut: { script: script({ fault: 'cut_body', padBytes: 5_000 }), http: {} },
  drop: { script: script({ fault: 'drop_socket' }), http: { answer: 'sse' } },
  unavailable: { script: script({ httpStatus: 503, text: 'maintenance' }), http: {} },
  login: { script: script({ fault: 'html' }), http: {} },
  forgetful: { script: script({ fault: 'lose_session' }), http: {} },
  silent: { script: script({ hang: true }), http: { answer: 'sse' } },
  endless: { script: script({ fault: 'end_stream' }), http: { answer: 'sse' } },
  huge: {
    script: script({ padBytes: 200_000 }, { protocol: '2026-07-28' }),
    http: {},
    entry: { max_message_bytes: 65_536, protocol: 'v2' },
  },
  crashing: { script: script({ stderr: 'out of memory', exit: 137 }) },
  noisy: {
    script: script(
      { rpcError: { code: -32603, message: 'it broke' } },
      { process: { banner: '*** hello ***', ignoreStdinEnd: true } },
      { stderr: 300_000, noise: 'not JSON-RPC' },
    ),
  },
}
