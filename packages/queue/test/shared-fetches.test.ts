import { expect, test } from 'vitest'
import { createSharedFetches } from '../src/shared-fetches.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { fetched, specOf } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const entry = fetched(specOf('dns.1', 'events'))

given('a table is offered to others as long as it is fresh', async () => {
  const { fleet } = await fixture.producer()
  const shared = createSharedFetches(fleet, 'key')
  const claim = await shared.claim('f')
  expect(await shared.find('f', 60_000)).toBeNull()
  await claim?.offer('dns.1', entry, 60_000)
  await claim?.release()
  expect(await shared.find('f', 60_000)).toMatchObject({ runId: 'dns.1', entry: { path: 'x' } })
  expect(await shared.find('f', -1)).toBeNull()
  expect(await shared.find('g', 60_000)).toBeNull()
})

given('one at a time fetches; a claim is over when it is released', async () => {
  const { fleet } = await fixture.producer()
  const shared = createSharedFetches(fleet, null)
  const claims = await Promise.all([shared.claim('f'), shared.claim('f'), shared.claim('f')])
  expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
  await claims.find((claim) => claim !== null)?.release()
  const next = await shared.claim('f')
  expect(next).not.toBeNull()
  await next?.release()
})

given('a table that somebody else has written into Redis is not taken', async () => {
  const { fleet } = await fixture.producer()
  const forger = createSharedFetches(fleet, 'another key')
  const claim = await forger.claim('f')
  await claim?.offer('dns.1', entry, 60_000)
  await claim?.release()
  expect(await createSharedFetches(fleet, 'key').find('f', 60_000)).toBeNull()
})
