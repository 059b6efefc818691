import { expect, test } from 'vitest'
import { isAllowedHost } from '../src/host-allow-list.ts'

const allowed = new Set(['hunts.example'])

test.each([
  'localhost',
  'LOCALHOST:4400',
  '127.0.0.1:4400',
  '127.8.9.1',
  '[::1]:4400',
  'hunts.example',
  'Hunts.Example:443',
])('allows %s', (host) => {
  expect(isAllowedHost(host, allowed)).toBe(true)
})

test.each([
  undefined,
  '',
  'evil.example',
  'evil.example:4400',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'hunts.example.evil.example',
  'localhost@evil.example',
  'localhost:4400:1',
  '10.0.0.1',
])('refuses %s', (host) => {
  expect(isAllowedHost(host, allowed)).toBe(false)
})
