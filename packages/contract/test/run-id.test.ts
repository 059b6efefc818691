import { describe, expect, it } from 'vitest'
import { runIdPattern } from '../src/names.ts'
import { compactTime, huntOfRunId, newAttemptId, newRunId, randomName, slotRunId } from '../src/run-id.ts'

const time = new Date('2026-11-30T12:00:00.987Z')

describe('run ids', () => {
  it('of a schedule are the same for everyone who starts the slot', () => {
    expect(slotRunId('dns-hourly', time)).toBe('dns-hourly.20261130T120000Z')
    expect(slotRunId('dns-hourly', time)).toMatch(runIdPattern)
  })

  it('of a schedule tell their hunt, those by hand tell none', () => {
    expect(huntOfRunId('dns-hourly.20261130T120000Z')).toBe('dns-hourly')
    expect(huntOfRunId('dns.hourly.20261130T120000Z.2')).toBe('dns.hourly')
    expect(huntOfRunId('dns.20261130T120000Z.123456')).toBeNull()
    expect(huntOfRunId('dns')).toBeNull()
  })

  it('by hand differ every time', () => {
    const ids = Array.from({ length: 100 }, () => newRunId('dns', time))
    expect(ids[0]).toMatch(/^dns\.20261130T120000Z\.[a-z0-9]{6}$/)
    expect(ids[0]).toMatch(runIdPattern)
    expect(new Set(ids).size).toBe(100)
  })

  it('carry the time in UTC without separators', () => {
    expect(compactTime(new Date('2026-01-02T03:04:05Z'))).toBe('20260102T030405Z')
  })
})

describe('attempts', () => {
  it('have 8 characters that are safe in paths and differ every time', () => {
    const ids = Array.from({ length: 1_000 }, newAttemptId)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{8}$/)
    expect(new Set(ids).size).toBe(1_000)
    expect(randomName(0)).toBe('')
  })
})
