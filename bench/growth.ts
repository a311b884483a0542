import { parseArgs } from 'node:util'
import type { Width } from './cases.ts'
import { memoryMegabytes } from './load.ts'
import { writeSection } from './report.ts'
import { measureCase, type Side, withSides } from './sides.ts'
import { tableOf } from './table.ts'

/** The same cases in workspaces of growing size on SQLite: half companies, half people. */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
/** How much slower a case may be in the largest workspace. Filters that match half of all records count them all. */
const allowed: Readonly<Record<string, number | undefined>> = {
  'get by id': 1.5,
  'list of 15': 1.5,
  'list of 100': 1.5,
  'cursor page': 1.5,
  'name contains, ten': 1.5,
  'select + range, ten': 1.5,
  'domain has_any, ten': 1.5,
  'people by company, ten': 1.5,
  create: 1.5,
  upsert: 1.5,
  'deep page': 3,
}
const sizes = values.sizes.split(',').map(Number)
const sides = sizes.map((size) => ({
  name: `growth-${size}`,
  database: 'sqlite' as const,
  sizes: { companies: size / 2, people: size / 2 },
  widths: [['ten', 20 / size] satisfies Width, ['1 in 2', 0.5] satisfies Width],
}))
const table = await withSides(sides, measure)
console.log(table)
if (values.write) writeSection('growth', table)

async function measure(started: readonly Side[]): Promise<string> {
  const rows: (string | number)[][] = []
  for (const { name } of started[0]?.cases ?? []) {
    if (!name.includes(values.only)) continue
    const points = await measureCase(started, name, { rounds: 5, seconds: Number(values.seconds) })
    const [small, large] = [points[0], points.at(-1)]
    if (!small || !large) continue
    const errors = points.reduce((sum, point) => sum + point.errors, 0)
    if (errors > 0) throw new Error(`${name} had ${errors} errors.`)
    const cells = points.map(({ perSecond, cpuMicros }) => `${integer(perSecond)} (${integer(cpuMicros)})`)
    const [slower, cpu] = [small.perSecond / large.perSecond, large.cpuMicros / small.cpuMicros]
    rows.push([
      name,
      ...cells,
      `${slower.toFixed(2)} ×`,
      allowed[name] ? `${allowed[name]} ×` : '',
      `${cpu.toFixed(2)} ×`,
    ])
    console.error(`${name}: ${cells.join(', ')}`)
  }
  for (const { name, pid } of started) console.error(`${name}: ${memoryMegabytes(pid)} MB`)
  return tableOf(['requests/s (CPU µs)', ...sizes.map(integer), 'slower by', 'allowed', 'CPU'], rows)
}

function integer(number: number): string {
  return Math.round(number).toLocaleString('en')
}
