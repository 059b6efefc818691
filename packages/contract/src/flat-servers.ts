import type { Json, JsonObject } from './json-value.ts'
import type { YamlFile } from './yaml-file.ts'

/** The original's nesting `mcp_servers.servers.<name>` means the same as ours: the file with it taken out, places kept. */
export function withFlatServers(source: YamlFile): YamlFile {
  const outer = isMap(source.value) ? source.value['mcp_servers'] : undefined
  const inner = isMap(outer) ? outer['servers'] : undefined
  // A server may be called `servers`.
  if (!isMap(source.value) || !isMap(outer) || !isMap(inner) || 'remote' in inner || 'local' in inner)
    return source
  const { servers: _, ...rest } = outer
  return {
    file: source.file,
    value: { ...source.value, mcp_servers: { ...rest, ...inner } },
    locate(path, what) {
      const [top, name, ...more] = path
      const nested = top === 'mcp_servers' && name !== undefined && Object.hasOwn(inner, name)
      return source.locate(nested ? ['mcp_servers', 'servers', name, ...more] : path, what)
    },
  }
}

function isMap(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
