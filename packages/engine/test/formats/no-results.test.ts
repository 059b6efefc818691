import { expect, test } from 'vitest'
import { saysNoResults } from '../../src/formats/no-results.ts'

test.each([
  'No results found',
  'No results.',
  '0 rows',
  '(0 rows)',
  '0 rows returned in 0.3 s.',
  'Query executed successfully.\n0 rows returned.',
  'Query returned no rows.',
  'The search found no matching events!',
  'No data available',
  'No alerts found for the last 24 hours.',
  'No events match the query.',
  'Match Count: 0.0\nColumns: 0\nRows: 0\n\nResults:',
  'Total results: 0, showing 0 from position 0',
  'Total results: 2500, showing 0 from position 2500',
])('takes %j for zero rows', (text) => {
  expect(saysNoResults(text)).toBe(true)
})

test.each([
  '',
  'The query is being prepared. Ask again in a moment.',
  'No data source configured',
  'No access to results',
  'No results: permission denied',
  'No results found because of an error',
  'No results found in time: query timed out',
  'No results. Permission denied.',
  '10 rows',
  'Found no reason to return the 200 results',
  `No results found for ${'x'.repeat(400)}`,
])('does not take %j for zero rows', (text) => {
  expect(saysNoResults(text)).toBe(false)
})
