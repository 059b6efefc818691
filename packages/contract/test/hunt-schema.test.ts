import { expect, test } from 'vitest'
import { loadProject } from '../src/project.ts'
import { complaintsOf, vocabulary } from './read-documents.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function complaints(hunt: string) {
  const text = `hunts:\n  dns:\n    strategy: dns\n${hunt}`
  const workingDirectory = await temporaryFolder({ 'huntfleet.yaml': text })
  const { errors, project } = await loadProject({ vocabulary, workingDirectory })
  return complaintsOf([...errors, ...project.warnings])
}

test('a whole hunt is in order', async () => {
  const hunt = `    cron: "*/15 * * * *"
    timezone: America/New_York
    params: { days: 7 }
    window: since_last_complete
    max_window: 2d
    lag: 10m
    overlap: queue
    catch_up: all
    jitter: 30s
    enabled: false
    require: complete
    retention: 90d
    notify: { url: "https://hooks.example/x", headers: { X-Key: { env: KEY } }, on: [failed, skipped] }
`
  expect(await complaints(hunt)).toEqual([])
})

test('a pattern that is none is shown with the fire times of what it might have meant', async () => {
  const [complaint] = await complaints('    cron: "0 0 12 ? * *"\n    timezone: UTC\n')
  expect(complaint).toMatch(
    /^error huntfleet\.yaml:4:11 hunts\.dns\.cron: "0 0 12 \? \* \*": day of month "\?" is not .*; did you mean "0 0 12 \* \* \*"\? In UTC it would next fire at \d{4}-\d\d-\d\dT12:00:00Z, \S+T12:00:00Z, \S+T12:00:00Z$/,
  )
})

test('the time zone is required, and offsets are none', async () => {
  expect(await complaints('    cron: "@daily"\n')).toEqual([
    expect.stringContaining('hunts.dns.timezone: is missing'),
  ])
  expect(await complaints('    cron: "@daily"\n    timezone: "+02:00"\n')).toEqual([
    expect.stringContaining('hunts.dns.timezone: "+02:00": is not a time zone'),
  ])
  expect(await complaints('    cron: "@daily"\n    timezone: berlin\n')).toEqual([
    expect.stringContaining('did you mean Europe/Berlin?'),
  ])
})

test('unknown keys are warnings and wrong values errors, each with its place', async () => {
  const hunt =
    '    cron: "@daily"\n    timezone: UTC\n    windw: 1h\n    window: 1\n    overlap: skp\n    lag: 10\n'
  expect(await complaints(hunt)).toEqual([
    expect.stringContaining(
      'huntfleet.yaml:7:13 hunts.dns.window: 1 is not a duration such as 1h, or since_last',
    ),
    expect.stringContaining('huntfleet.yaml:9:10 hunts.dns.lag: 10 is not a duration'),
    expect.stringContaining('huntfleet.yaml:8:14 hunts.dns.overlap: "skp" is not one of'),
    expect.stringContaining('huntfleet.yaml:6:5 unknown key "hunts.dns.windw"; did you mean "window"?'),
  ])
})
