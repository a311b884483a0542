import { parseArgs } from 'node:util'
import type { Database } from './data.ts'
import { thisCheckout } from './kith.ts'
import { memoryMegabytes } from './load.ts'
import { writeSection } from './report.ts'
import { measureCase, type Side, withSides } from './sides.ts'
import { machine, tableOf } from './table.ts'

/** Another checkout and this one in alternating rounds: the medians and the ratio new/old of every case. */
const { values } = parseArgs({
  options: {
    old: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
    records: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    only: { type: 'string', default: '' },
    limits: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const BARS: Readonly<Record<Database, number>> = { sqlite: 0.9, postgres: 0.7 }
const columns = ['case', 'old/s', 'new/s', 'ratio', 'old CPU µs', 'new CPU µs', 'old p99 ms', 'new p99 ms', 'errors']

if (values.old === undefined) throw new Error('Name the other checkout: npm run bench:compare -- --old DIR')
const database: Database = values.database === 'postgres' ? 'postgres' : 'sqlite'
const sizes = { companies: Number(values.records), people: Number(values.records) }
const rounds = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const shared = { database, sizes, limits: values.limits }
const sides = [
  { ...shared, name: 'old', checkout: values.old },
  { ...shared, name: 'new', checkout: thisCheckout },
]
const text = await withSides(sides, compare)
console.log(text)
if (values.write) writeSection(`compared-${database}`, text)

async function compare(started: readonly Side[]): Promise<string> {
  const rows: (string | number)[][] = []
  for (const { name } of started[0]?.cases ?? []) {
    if (!values.only.split('|').some((part) => name.includes(part))) continue
    const [older, newer] = await measureCase(started, name, rounds)
    if (!older || !newer) continue
    const ratio = newer.perSecond / older.perSecond
    const shown = `${ratio.toFixed(2)}${ratio < BARS[database] ? ' (too slow)' : ''}`
    const cpu = [older.cpuMicros, newer.cpuMicros]
    rows.push([
      name,
      older.perSecond,
      newer.perSecond,
      shown,
      ...cpu,
      older.p99,
      newer.p99,
      older.errors + newer.errors,
    ])
    console.error(`${name}: ${shown}, CPU ${(newer.cpuMicros / older.cpuMicros).toFixed(2)}`)
  }
  const limits = `rate limits ${values.limits ? 'on' : 'off'}`
  const memory = started.map(
    ({ name, pid, restMB }) => `${name} ${restMB} MB at rest, ${memoryMegabytes(pid)} MB after`,
  )
  const title = `### ${database}, ${values.records} companies and as many people, ${limits}`
  return [title, machine(), tableOf(columns, rows), `Memory: ${memory.join('; ')} the run.`].join('\n\n')
}
