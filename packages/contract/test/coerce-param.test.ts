import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coerceParam, paramOrder } from '../src/coerce-param.ts'
import type { Json } from '../src/json-value.ts'
import { type ParamType, paramTypes } from '../src/param-spec.ts'

const scheduledAt = new Date('2026-03-10T12:00:00Z')
const coerce = (type: ParamType, value: Json) => coerceParam(type, value, scheduledAt)

describe('coerceParam', () => {
  it.each<[ParamType, Json, Json]>([
    ['str', 'x', 'x'],
    ['str', '', ''],
    ['str', 5, '5'],
    ['str', 1e20 / 1e6, '100000000000000'],
    ['str', true, 'true'],
    ['int', 100, 100],
    ['int', '100', 100],
    ['int', ' +7 ', 7],
    ['int', '-007', -7],
    ['int', '42.0', 42],
    ['int', '-0', 0],
    ['int', '9007199254740991', 9_007_199_254_740_991],
    ['float', '7', 7],
    ['float', '2.5', 2.5],
    ['float', '.5', 0.5],
    ['float', '-1e3', -1_000],
    ['float', 3, 3],
    ['bool', true, true],
    ['bool', 'TRUE', true],
    ['bool', 'yes', true],
    ['bool', ' on ', true],
    ['bool', 1, true],
    ['bool', '0', false],
    ['bool', 'No', false],
    ['bool', 'f', false],
    ['list', ['a', 1], ['a', 1]],
    ['list', '["a", "b,c"]', ['a', 'b,c']],
    ['list', ' [] ', []],
    ['list', 'one', ['one']],
    ['list', '', ['']],
    ['list', 443, [443]],
    ['timestamp', '-7d', '2026-03-03T12:00:00Z'],
    ['timestamp', 1_767_225_600, '2026-01-01T00:00:00Z'],
    ['timestamp', '2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00Z'],
    ['duration', ' 1h30m ', '1h30m'],
  ])('%s takes %j', (type, value, result) => {
    expect(coerce(type, value)).toEqual({ ok: true, value: result })
  })

  it.each<[ParamType, Json, string]>([
    ['str', ['a'], 'is a list'],
    ['str', { a: 1 }, 'is a map'],
    ['str', 1e20, '2^53'],
    ['int', 7.9, 'type int'],
    ['int', '7.9', 'type int'],
    ['int', '1e3', 'type int'],
    ['int', '', 'type int'],
    ['int', true, 'type int'],
    ['int', '9007199254740993', '2^53'],
    ['int', 9_007_199_254_740_992, '2^53'],
    ['float', 'NaN', 'type float'],
    ['float', '1e400', 'range'],
    ['float', '', 'type float'],
    ['bool', 'maybe', 'yes, no'],
    ['bool', 2, 'type bool'],
    ['list', 'a,b', 'could be one value or several'],
    ['list', '["a"', 'JSON array'],
    ['list', { a: 1 }, 'JSON array'],
    ['list', [Number('9007199254740993')], '2^53'],
    ['list', '[9007199254740993]', '2^53'],
    ['list', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'levels'],
    ['timestamp', 'yesterday', 'now'],
    ['timestamp', true, 'type timestamp'],
    ['timestamp', Number('1767225600123456789'), 'quotes'],
    ['duration', 30, 'no unit'],
    ['duration', '30', '30s'],
  ])('%s refuses %j', (type, value, reason) => {
    const result = coerce(type, value)
    expect(result.ok ? 'accepted' : result.reason).toContain(reason)
  })

  it('changes nothing the second time', () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.array(fc.string()))
    fc.assert(
      fc.property(fc.constantFrom(...paramTypes), value, (type, given) => {
        const once = coerce(type, given)
        fc.pre(once.ok)
        expect(coerce(type, once.value)).toEqual(once)
      }),
    )
  })

  it('keeps every digit of an int or refuses it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const result = coerce('int', String(integer))
        if (result.ok) expect(BigInt(Number(result.value))).toBe(integer)
        else expect(integer > 2n ** 53n - 1n || integer < -(2n ** 53n) + 1n).toBe(true)
      }),
    )
  })
})

describe('paramOrder', () => {
  it('orders times across different fractions', () => {
    const early = paramOrder('timestamp', '2026-01-01T00:00:00.5Z') ?? 0
    const late = paramOrder('timestamp', '2026-01-01T00:00:00.50001Z') ?? 0
    expect(early < late).toBe(true)
    expect(paramOrder('timestamp', '2026-01-01T00:00:00.50Z')).toBe(early)
  })

  it('knows no order of texts and lists', () => {
    expect(paramOrder('str', 'a')).toBeUndefined()
    expect(paramOrder('list', [1])).toBeUndefined()
  })
})
