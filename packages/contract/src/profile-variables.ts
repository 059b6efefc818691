import { type Finding, findingAt } from './finding.ts'
import { mapJson } from './map-json.ts'
import type { YamlFile } from './yaml-file.ts'

const variable = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/

/**
 * Warns of `${NAME}` in `defaults` and `tools` of a server. What stands there becomes part of a binding, which goes into
 * job data as it is, and there is no place for the environment of a process; the text would be sent as it is written.
 */
export function variablesInProfiles(source: YamlFile): Finding[] {
  const findings: Finding[] = []
  mapJson(source.value, {
    leaf(leaf, pathOf) {
      const found = typeof leaf === 'string' ? variable.exec(leaf)?.[0] : undefined
      if (found === undefined) return null
      const path = pathOf()
      if (path[0] !== 'mcp_servers' || !['defaults', 'tools'].includes(String(path[2]))) return null
      const message = `${path.join('.')}: ${found} is not filled in here and is sent as it is written; put the variable under secrets and write {{secret.NAME}}`
      findings.push(findingAt(source, 'warning', 'PROJECT_INVALID', path, message))
      return null
    },
  })
  return findings
}
