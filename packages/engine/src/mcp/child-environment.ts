/** What every stdio server gets, as in the MCP SDK and `sudo`: enough to find programs and a home, no secrets. */
const inherited =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']

/**
 * The environment of a stdio server: the few variables above and those named in `passthrough` from our own, then `env`.
 * Names that are not set are left out.
 */
export function childEnvironment(
  own: NodeJS.ProcessEnv,
  passthrough: readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of [...inherited, ...passthrough]) {
    const value = own[name]
    // Values that start with `()` are functions exported by a shell (Shellshock).
    if (value !== undefined && !value.startsWith('()')) result[name] = value
  }
  return { ...result, ...env }
}
