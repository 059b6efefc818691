import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { addFlow, announce, dashboardFixture } from './dashboard-fixture.ts'

const fixture = await dashboardFixture()
const executablePath = findChromium()
if (executablePath === null) process.stderr.write('skipped: no Chromium; install it or set CHROMIUM_PATH\n')

function findChromium(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium'))
  const candidates = [process.env['CHROMIUM_PATH'] ?? '', '/usr/bin/chromium', ...onPath]
  return candidates.find((path) => path !== '' && isExecutable(path)) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

test.skipIf(fixture.skip || executablePath === null)(
  'shows a person the queues, a run’s flow with its tables, and a table’s progress',
  async () => {
    const { producer, settings } = await fixture.fleet()
    const { url } = await fixture.dashboard({ redis: settings })
    await announce(settings, ['files'])
    await addFlow(producer, 'dns-hourly.20261130T120000Z', ['dns_events', 'net_flows'])
    const browser = await chromium.launch({
      executablePath: executablePath ?? '',
      headless: true,
      args: flags,
    })
    try {
      const page = await browser.newPage()
      const failures: string[] = []
      page.on('pageerror', (error) => failures.push(error.message))
      await page.goto(`${url}/queues`)
      await page.getByText('hunt-run').first().waitFor()
      await page.getByText('src-files').first().waitFor()
      await page.goto(`${url}/queues/queue/hunt-run/dns-hourly.20261130T120000Z`)
      await page.getByText('dns_events').first().waitFor()
      await page.getByText('net_flows').first().waitFor()
      await page.goto(`${url}/queues/queue/src-files/dns-hourly.20261130T120000Z.dns_events`)
      await page.getByText('dns_events').first().waitFor()
      await page
        .getByText(/progress/i)
        .first()
        .click()
      await page.getByText('700').first().waitFor()
      expect(failures).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
