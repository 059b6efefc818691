import type { ColumnSpec } from '../../packages/contract/src/table-spec.ts'

function column(name: string, type: string): ColumnSpec {
  return { name, type, required: false, format: null, timezone: null, round: 'reject', sensitive: 'none' }
}

/** The columns of the benchmark's table: security events, as a hunt stages them. */
export const eventColumns: readonly ColumnSpec[] = [
  column('ts', 'TIMESTAMPTZ'),
  column('hostname', 'VARCHAR'),
  column('user', 'VARCHAR'),
  column('src_ip', 'VARCHAR'),
  column('dst_ip', 'VARCHAR'),
  column('port', 'INTEGER'),
  column('severity', 'VARCHAR'),
  column('action', 'VARCHAR'),
  column('bytes', 'BIGINT'),
  column('score', 'DOUBLE'),
  column('flag', 'BOOLEAN'),
  column('message', 'VARCHAR'),
]

const severities = ['low', 'medium', 'high', 'critical', 'info']
const actions = ['allow', 'deny', 'drop', 'reset', 'login', 'logout', 'create', 'delete']
const ports = [22, 53, 80, 123, 443, 445, 3389, 8080, 8443]
const words =
  'process connection blocked malware detected outbound traffic policy violation user authentication failed success kernel module loaded suspicious parent child command line registry key modified remote thread injection dns query beacon interval certificate expired'.split(
    ' ',
  )
const messageLength = 120

/**
 * Pages of events as JSON arrays, always the same ones: 500 hosts, 5,000 users, random addresses, messages of 120
 * characters, 2 % of the users and 5 % of the scores null; about 383 bytes a row.
 */
export function* eventPages(pages: number, rowsPerPage: number): Generator<string> {
  let state = 12_345
  // Marsaglia's xorshift32.
  const random = (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.floor(((state >>> 0) / 2 ** 32) * below)
  }
  const pick = <T>(values: readonly T[]) => values[random(values.length)]
  const message = () => {
    let text = ''
    while (text.length < messageLength - 8) text += `${pick(words)} `
    return (text + random(1e9)).slice(0, messageLength).padEnd(messageLength, 'x')
  }
  let micros = Date.UTC(2026, 2, 1) * 1000
  for (let page = 0; page < pages; page++) {
    const rows = Array.from({ length: rowsPerPage }, () => {
      micros += 1 + random(2_000)
      return {
        ts: `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`,
        hostname: `host-${String(random(500)).padStart(4, '0')}.corp.example.com`,
        user: random(50) === 0 ? null : `user${random(5_000)}@example.com`,
        src_ip: `10.${random(256)}.${random(256)}.${random(256)}`,
        dst_ip: `${1 + random(222)}.${random(256)}.${random(256)}.${random(256)}`,
        port: random(5) === 0 ? random(65_536) : pick(ports),
        severity: pick(severities),
        action: pick(actions),
        bytes: Math.floor((random(1e6) / 1e6) ** 4 * 1e10),
        score: random(20) === 0 ? null : random(1e6) / 1e4,
        flag: random(10) < 3,
        message: message(),
      }
    })
    yield JSON.stringify(rows)
  }
}
