import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs that `startRadosgw` runs. */
const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

/**
 * Installs Debian's packages as scripts/setup does: `policy-rc.d` answers 101 while it runs, so that no service starts.
 * `flock` lets one of several test files install while the others wait; the kernel drops the lock of a killed one.
 */
const script = `
exec 9> /run/huntfleet-s3-install.lock
flock 9
command -v radosgw > /dev/null && exit 0
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT INT TERM
  printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod +x "$policy"
fi
apt-get -qq -o DPkg::Lock::Timeout=300 update &&
DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \\
  ceph-mon ceph-osd radosgw ceph-common
`

/** Whether every program of the S3 server is on PATH. */
export async function hasRadosgw(): Promise<boolean> {
  return (await Promise.all(programs.map(isOnPath))).every(Boolean)
}

/** Why Debian's packages cannot be installed here, or null when they can. */
export async function installObstacle(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'not root, so Debian packages cannot be installed'
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!/^ID(_LIKE)?=.*debian/m.test(release)) return 'not a Debian system'
  return (await isOnPath('apt-get')) ? null : 'no apt-get on PATH'
}

/** Installs radosgw (269 MB on disk, about 40 s); resolves with what went wrong, or null. */
export async function installRadosgw(): Promise<string | null> {
  process.stderr.write("S3 fixture: installing Debian's radosgw, about 40 s once\n")
  try {
    await run('sh', ['-c', script], { timeout: 600_000, maxBuffer: 64 << 20 })
    return (await hasRadosgw()) ? null : 'apt-get succeeded, but radosgw is not on PATH'
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    return `apt-get failed: ${output.trim().split('\n').slice(-3).join(' | ')}`
  }
}

async function isOnPath(program: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, program)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
