import { describe } from 'vitest'
import { rejected, testRules } from './coercion-table.ts'

const canonical = '6f9619ff-8b86-d011-b42d-00cf4fc964ff'

describe('UUIDs', () => {
  testRules('UUID', [
    [`"${canonical}"`, canonical],
    [`"${canonical.toUpperCase()}"`, canonical],
    [`" ${canonical} "`, canonical],
    [`"{${canonical.toUpperCase()}}"`, canonical],
    [`"urn:uuid:${canonical}"`, canonical],
    [`"${canonical.replaceAll('-', '')}"`, canonical],
    ['""', null],
    ['null', null],
    ['"not-a-uuid"', rejected('"not-a-uuid" is not a UUID such as')],
    [`"{${canonical}"`, rejected()],
    [`"${canonical}0"`, rejected()],
    [`"${canonical.slice(1)}"`, rejected()],
    [`"${canonical.replace('6', 'g')}"`, rejected()],
    ['12', rejected()],
    ['{}', rejected()],
  ])
})
