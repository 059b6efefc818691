import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Puts Debian's next release with a newer radosgw (20.2 when this was written) into a folder, from the mirror that this
 * machine uses. The only mount, /proc, is made in a name space of its own, so that none stays behind in the folder.
 * Built beside and renamed, under a lock, since several test files may want it at once.
 */
const script = `
set -e
exec 9> "$1.lock"
flock 9
[ -e "$1/usr/bin/radosgw" ] && exit 0
root=$1.new
rm -rf --one-file-system "$root"
mirror=$(grep -hoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null | head -n 1 | tr -d ' ')
command -v debootstrap > /dev/null || { apt-get -qq update; apt-get -qq install -y --no-install-recommends debootstrap; }
debootstrap --variant=minbase forky "$root" "$mirror" /usr/share/debootstrap/scripts/sid
printf '#!/bin/sh\\nexit 101\\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
printf 'force-unsafe-io\\n' > "$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
cp /etc/resolv.conf "$root/etc/resolv.conf"
unshare -m --propagation private sh -ec '
  mount -t proc proc "$1/proc"
  export DEBIAN_FRONTEND=noninteractive
  chroot "$1" apt-get -qq install -y --no-install-recommends ceph-mon ceph-osd radosgw ceph-common' sh "$root"
mv "$root" "$1"
`

/** Makes sure that there is a system with radosgw in the folder (about a minute and 700 MB, once; needs root). */
export async function prepareRoot(root: string): Promise<void> {
  const found = await access(join(root, 'usr/bin/radosgw')).then(
    () => true,
    () => false,
  )
  if (found) return
  process.stderr.write(`S3 fixture: installing a newer radosgw into ${root}, about a minute once\n`)
  await run('sh', ['-c', script, 'install', root], { timeout: 900_000, maxBuffer: 64 << 20 })
}

/** A command as it runs inside a root. */
export function inRoot(root: string, command: readonly string[]): string[] {
  const enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
  return ['unshare', '-m', '--propagation', 'private', 'sh', '-c', enter, root, ...command]
}
