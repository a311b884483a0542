import { parseArgs } from 'node:util'
import { type Bare, startBare } from './bare.ts'
import type { Database } from './data.ts'
import { memoryMegabytes } from './load.ts'
import { writeSection } from './report.ts'
import { measureCase, type Side, withSides } from './sides.ts'
import { machine, tableOf } from './table.ts'

/** Every case, uncached and with a writer running, with rate limits off and on, next to a bare server. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'both' },
    records: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '1.5' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const rounds = { rounds: 3, seconds: Number(values.seconds) }
const columns = [
  'case',
  'requests/s',
  'of bare',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'with limits/s',
  'with limits CPU µs',
  'errors',
]

for (const database of ['sqlite', 'postgres'] as const) {
  if (!['both', database].includes(values.database)) continue
  const sizes = { companies: records, people: records }
  const shared = { database, sizes, profile: values.profile }
  const sides = [false, true].map((limits) => ({ ...shared, name: limits ? 'limits' : 'plain', limits }))
  const bare = await startBare()
  const table = await withSides(sides, (started) => measure(database, started, bare)).finally(bare.stop)
  console.log(table)
  if (values.write) writeSection(`measured-${database}`, table)
}

async function measure(database: Database, sides: readonly Side[], bare: Bare): Promise<string> {
  const rows: (string | number)[][] = []
  const [side] = sides
  for (const one of side?.cases ?? []) {
    const { name } = one
    if (!side || !name.includes(values.only)) continue
    const [plain, limited] = await measureCase(sides, name, rounds)
    if (!plain || !limited) continue
    const share = `${((plain.perSecond / (await bare.measure(side, one, rounds))) * 100).toFixed(1)} %`
    const { perSecond, p50, p99, cpuMicros } = plain
    const errors = plain.errors + limited.errors
    rows.push([name, perSecond, share, p50, p99, cpuMicros, limited.perSecond, limited.cpuMicros, errors])
    console.error(`${database}, ${name}: ${Math.round(perSecond)}/s, ${share} of bare`)
  }
  const { pid, restMB } = side ?? { pid: 0, restMB: 0 }
  const size = `${records.toLocaleString('en')} companies and as many people`
  const memory = `Memory: ${restMB} MB at rest, ${memoryMegabytes(pid)} MB after the run.`
  return `### ${database}, ${size}\n\n${machine()}\n\n${tableOf(columns, rows)}\n\n${memory}`
}
