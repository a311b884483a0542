import { parseArgs } from 'node:util'
import { memoryMegabytes } from './load.ts'
import { writeSection } from './report.ts'
import { measureCase, type Side, withSides } from './sides.ts'
import { machine, tableOf } from './table.ts'

/** CPU time per request in a workspace of 10,000 records and in a larger one, on both databases in turn. */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
/** What a request may take on SQLite at a million records, in milliseconds. The first five must not grow. */
const cases: Readonly<Record<string, number | 'flat'>> = {
  'get by id': 'flat',
  'list of 15': 'flat',
  'cursor page': 'flat',
  'unique value': 'flat',
  feed: 'flat',
  'name contains, 1 in 100': 40,
  toggle: 18,
  'search, common word': 15,
}
const databases = ['sqlite', 'postgres'] as const
const sides = databases.flatMap((database) =>
  [10_000, Number(values.records)].map((size) => ({
    name: `${database}, ${size.toLocaleString('en')}`,
    database,
    sizes: { companies: size / 2, people: size / 2 },
    widths: [['1 in 100', 0.01] as const],
  })),
)
const table = await withSides(sides, measure)
console.log(table)
if (values.write) writeSection('growth', table)

async function measure(started: readonly Side[]): Promise<string> {
  const rows: string[][] = []
  for (const [name, wanted] of Object.entries(cases)) {
    if (!values.only.split('|').some((part) => name.includes(part))) continue
    const rounds = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
    const points = await measureCase(started, name, rounds)
    const failed = started.filter((_, index) => points[index]?.errors !== 0)
    if (failed.length > 0) throw new Error(`${name} had errors: ${failed.map((side) => side.name).join('; ')}.`)
    const cells = points.map(({ cpuMicros }) => (cpuMicros / 1000).toFixed(2))
    rows.push([name, ...cells, String(wanted)])
    console.error(`${name}: ${cells.join(', ')}`)
  }
  const memory = started.map(({ name, pid }) => `${name} ${memoryMegabytes(pid)} MB`)
  const columns = ['CPU ms per request', ...started.map(({ name }) => name), 'wanted at a million']
  return [machine(), tableOf(columns, rows), `Memory after the run: ${memory.join('; ')}.`].join('\n\n')
}
