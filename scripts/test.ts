import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * All checks, one after the other. A failed check does not stop the next one.
 * With `--long` the tests run their full numbers. Other arguments go to the test runner, such as a folder.
 */
const isLong = process.argv[2] === '--long'
const more = process.argv.slice(isLong ? 3 : 2)
const folder = mkdtempSync(join(tmpdir(), 'kith-tests-'))
const report = join(folder, 'report.json')
const steps: [name: string, command: string, args: string[]][] = [
  ['types', 'tsc', ['--noEmit']],
  ['format and lint', 'biome', ['check', '.']],
  ['tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...more]],
]

let failedSteps = 0
for (const [name, command, args] of steps) {
  console.log(`\n— ${name}: ${command} ${args.join(' ')}`)
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...(isLong ? { TEST_LONG: '1' } : {}) },
  })
  if (status !== 0) {
    failedSteps++
    console.error(`\n✗ ${name} failed.`)
  }
}

const { passed, failed } = countTests(report)
rmSync(folder, { recursive: true })
// Checks other than tests count as one each.
const otherSteps = steps.length - 1
const failedOthers = failedSteps - (failed > 0 ? 1 : 0)
console.log(`\n${passed + otherSteps - Math.max(0, failedOthers)} passed, ${failed + Math.max(0, failedOthers)} failed`)
process.exitCode = failedSteps === 0 ? 0 : 1

function countTests(path: string): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(path, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
