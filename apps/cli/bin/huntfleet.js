#!/usr/bin/env -S node --conditions=source
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `huntfleet needs Node >= 22.18 and this is ${process.version}; in a checkout run "sh scripts/setup" and start it with "sh scripts/with-node huntfleet"\n`,
  )
  process.exit(2)
}
await import('../src/main.ts')
