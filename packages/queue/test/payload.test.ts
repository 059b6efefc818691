import { expect, test } from 'vitest'
import { openPayload, sealPayload } from '../src/payload.ts'
import { runJob, specOf } from './worker-fakes.ts'

const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const job = runJob('dns.20261130T120000Z.abc', { params: { '10': 1, list: ['ä', -0, 1e21] } })

test('opens what it sealed, with and without a key', () => {
  for (const key of [null, 'secret']) {
    const opened = openPayload('run', stored(sealPayload('run', job, key)), key)
    expect(opened).toEqual({ is: 'ours', payload: stored(job) })
  }
})

test('leaves a payload of another version alone, whatever else is in it', () => {
  expect(openPayload('run', { v: 2, anything: true }, 'secret')).toEqual({ is: 'other_version', version: 2 })
})

test.each([
  ['no object', 'text', 'it is not an object'],
  ['null', null, 'it is not an object'],
  ['no version', {}, 'v:'],
  ['an unknown key', { ...job, extra: 1 }, 'Unrecognized key'],
  ['a path for an id', { ...job, runId: '../etc' }, 'runId:'],
])('refuses %s and says why', (_name, data, why) => {
  const opened = openPayload('run', data, null)
  expect(opened).toMatchObject({ is: 'invalid', error: { code: 'PAYLOAD_INVALID' } })
  expect(opened.is === 'invalid' && opened.error.message).toContain(why)
})

test('refuses a changed, unsigned or foreign payload when the fleet has a key', () => {
  const sealed = sealPayload('run', job, 'secret')
  for (const forged of [
    job,
    { ...sealed, maxRows: 5 },
    sealPayload('run', job, 'other'),
    { ...job, signature: 7 },
  ]) {
    expect(openPayload('run', stored(forged), 'secret')).toMatchObject({ is: 'invalid' })
  }
})

test('does not take the signature of one kind of job for another', () => {
  const { runId, storage, retry, budget } = job
  const spec = specOf(runId, 'events')
  const table = { v: 1 as const, runId, spec, storage, retry, budget, deadlineAt: null }
  const sealed = { ...job, signature: Reflect.get(sealPayload('table', table, 'secret'), 'signature') }
  expect(openPayload('run', stored(sealed), 'secret')).toMatchObject({ is: 'invalid' })
})
