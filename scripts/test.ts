import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bundleServer } from '../server/test/setup/bundle.ts'
import { installDevPackages } from './dev-packages.ts'

const isLong = process.argv[2] === '--long'
/**
 * Most of a test is waiting for the service, so more workers than cores are faster. Each of them loads the code, and
 * one of the browser project starts a browser.
 */
const workers = { browser: 2, postgres: 3, sqlite: 3, unit: 1, ...(isLong ? { partitioned: 3 } : {}) }
const FIRST_PORT = Number(process.env.TEST_FIRST_PORT ?? 10_000)
/** Each project has so many of its own. */
const PORTS = 4000
const TICKS_PER_SECOND = 100
const FAILURE_LENGTH = 2000

/**
 * All checks at the same time: types, lint, and each project of vitest.config.ts. A project runs in a process of its
 * own, so that its processor time can be printed. With `--long` the tests run their full numbers. Other arguments go
 * to the test runner, such as a folder.
 */
const more = process.argv.slice(isLong ? 3 : 2)
installDevPackages()
const folder = mkdtempSync(join(tmpdir(), 'kith-tests-'))
const begun = Date.now()
// All projects run the same bundle.
await bundleServer()
// Services that run in a test start threads, which load the code again. The cache saves some of that.
const compiled = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/kith-tests') }
const env = { ...compiled, ...process.env, ...(isLong ? { TEST_LONG: '1' } : {}) }

const browserSeconds = watchBrowsers()
const projects = Object.entries(workers).map(runProject)
// More threads would take the tests' processor time: they do a third of the work twice.
const checks = [
  check('types', ['tsc', '--noEmit', '--singleThreaded']),
  check('format and lint', ['biome', 'check', '.']),
]

let [passed, failed] = [0, 0]
const runs = await Promise.all([...projects, ...checks])
for (const run of runs) {
  passed += run.passed
  failed += run.failed
}
for (const { name, ok, output } of await Promise.all(checks)) {
  console.log(`\n— ${name}: ${ok ? 'passed' : `failed\n${output}`}`)
}
printTimes()
for (const run of runs) for (const failure of run.failures) console.log(`\n✗ ${run.name} · ${failure}`)
rmSync(folder, { recursive: true })
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function runProject([name, count]: [string, number], index: number) {
  const report = join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const options = ['--project', name, `--maxWorkers=${count}`, '--passWithNoTests', ...reporters]
  const ports = { TEST_FIRST_PORT: String(FIRST_PORT + index * PORTS) }
  const print = (text: string) => process.stdout.write(text)
  const run = await timed(name, ['vitest', 'run', ...options, ...more], { env: { ...env, ...ports }, print })
  const { passed, failures } = readReport(report)
  if (name === 'browser') run.processor += browserSeconds()
  if (!run.ok && failures.length === 0) failures.push('failed without a failed test: its reason is in the output above')
  return { ...run, passed, failed: failures.length, failures }
}

/** Keeps the output of the command, which would mix with that of the tests. */
async function check(name: string, command: string[]) {
  let output = ''
  const keep = (text: string) => {
    output += text
  }
  const run = await timed(name, command, { env, print: keep })
  return { ...run, output, passed: run.ok ? 1 : 0, failed: run.ok ? 0 : 1, failures: [] }
}

type Surroundings = { env: NodeJS.ProcessEnv; print(text: string): unknown }

/** Runs a command in a shell, which measures the processor time of the command and of all processes below it. */
async function timed(name: string, command: string[], { env, print }: Surroundings) {
  const times = join(folder, `${name}.times`)
  const begun = Date.now()
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >"$0"; exit $code', times, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', print)
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  // The second line is that of the children: 4m33.40s 0m13.27s, the time of the user and of the system.
  const [, line = ''] = readFileSync(times, 'utf8').split('\n')
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(([, min, sec]) => Number(min) * 60 + Number(sec))
  const processor = parts.reduce((sum, part) => sum + part, 0)
  return { name, ok: code === 0, processor, run: (Date.now() - begun) / 1000 }
}

/**
 * Chromium does not wait for the processes that show pages, so the shell does not count them. Their times are read from
 * Linux every second.
 */
function watchBrowsers(): () => number {
  const ticks = new Map<number, number>()
  const look = () => {
    const parents = new Map<number, number>()
    const seen = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []))
    for (const { pid, parent } of seen) parents.set(pid, parent)
    const isOurs = (pid = 0): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid)))
    for (const { pid, command, time } of seen) if (command.includes('--type=') && isOurs(pid)) ticks.set(pid, time)
  }
  if (existsSync('/proc')) setInterval(look, 1000).unref()
  return () => [...ticks.values()].reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND
}

function readProcess(pid: number): { pid: number; parent: number; command: string; time: number }[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    const [, line = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const words = line.split(' ')
    return [{ pid, parent: Number(words[1]), command, time: Number(words[11]) + Number(words[12]) }]
  } catch {
    // It has ended.
    return []
  }
}

type Report = {
  numPassedTests: number
  testResults: { name: string; message: string; assertionResults: Assertion[] }[]
}
type Assertion = { status: string; fullName: string; failureMessages: string[] }

/** The output of the projects mixes, and CI keeps only its end: so each failure is told again there. */
function readReport(path: string): { passed: number; failures: string[] } {
  if (!existsSync(path)) return { passed: 0, failures: [] }
  const { numPassedTests, testResults }: Report = JSON.parse(readFileSync(path, 'utf8'))
  const failures = testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    const told = failed.map((test) => `${test.fullName}\n${test.failureMessages.join('\n')}`)
    // A file that cannot be loaded has no tests.
    if (message !== '') told.push(message)
    return told.map((text) => `${relative(process.cwd(), name)} › ${text.slice(0, FAILURE_LENGTH)}`)
  })
  return { passed: numPassedTests, failures }
}

function printTimes(): void {
  const processor = runs.reduce((sum, run) => sum + run.processor, 0)
  const all = { name: 'all', passed, processor, run: (Date.now() - begun) / 1000 }
  const line = (name: string, ...numbers: unknown[]) =>
    console.log(name.padEnd(16) + numbers.map((number) => String(number).padStart(12)).join(''))
  line('\nseconds of', 'passed', 'processor', 'run')
  for (const { name, passed, processor, run } of [...runs, all]) line(name, passed, processor.toFixed(), run.toFixed())
}
