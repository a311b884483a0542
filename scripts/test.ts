import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * All checks at the same time: types and lint run while the tests start their services and databases.
 * With `--long` the tests run their full numbers. Other arguments go to the test runner, such as a folder.
 */
const isLong = process.argv[2] === '--long'
const more = process.argv.slice(isLong ? 3 : 2)
const folder = mkdtempSync(join(tmpdir(), 'kith-tests-'))
const report = join(folder, 'report.json')
// Services that run in a test start threads, which load the code again. The cache saves some of that.
const compiled = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/kith-tests') }
const env = { ...compiled, ...process.env, ...(isLong ? { TEST_LONG: '1' } : {}) }

// More threads would take the tests' processor time: they do a third of the work twice.
const checks = [
  check('types', 'tsc', ['--noEmit', '--singleThreaded']),
  check('format and lint', 'biome', ['check', '.']),
]
const tests = spawn(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...more],
  {
    stdio: 'inherit',
    env,
  },
)
const testsPassed = (await exitCode(tests)) === 0

let { passed, failed } = countTests(report)
rmSync(folder, { recursive: true })
// A run can fail without a failed test, for example when a file cannot be loaded.
if (!testsPassed) failed = Math.max(1, failed)
for (const { name, ok, output } of await Promise.all(checks)) {
  console.log(`\n— ${name}: ${ok ? 'passed' : `failed\n${output}`}`)
  if (ok) passed++
  else failed++
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a command and keeps its output, which would mix with that of the tests. */
async function check(name: string, command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return { name, ok: (await exitCode(child)) === 0, output }
}

function exitCode(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
}

function countTests(path: string): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(path, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
