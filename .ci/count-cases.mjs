/**
 * Judges the results of the black-box cases by the list of those that must pass.
 *
 *   node .ci/count-cases.mjs RESULTS.json LIST.txt
 *
 * Prints `PASSED FAILED SKIPPED`. A case that fails and is not listed counts as skipped; one that is listed and was not
 * among the results is a failure, since nobody knows any more whether it holds.
 */
import { readFileSync } from 'node:fs'

const [resultsFile = '', listFile = ''] = process.argv.slice(2)
const { cases } = JSON.parse(readFileSync(resultsFile, 'utf8'))
const listed = new Set(
  readFileSync(listFile, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#')),
)
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const { name, ok, why } of cases) {
  if (ok) counts.passed += 1
  else if (listed.has(name)) counts.failed += 1
  else counts.skipped += 1
  if (!ok) process.stderr.write(`${listed.has(name) ? 'failed' : 'not yet'}: ${name}: ${why.join('; ')}\n`)
  else if (!listed.has(name)) process.stderr.write(`passes now, add it to ${listFile}: ${name}\n`)
  listed.delete(name)
}
for (const name of listed) {
  counts.failed += 1
  process.stderr.write(`failed: ${name} is listed and did not run\n`)
}
process.stdout.write(`${counts.passed} ${counts.failed} ${counts.skipped}\n`)
process.exit(counts.failed > 0 ? 1 : 0)
