import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { askOnce } from './ask-once.ts'
import { type Case, casesFor } from './cases.ts'
import { chartOf, type Line } from './chart.ts'
import { cachedSqlite, onCopy } from './data.ts'
import { allowed } from './growth-allowed.ts'
import { type GrowthPoint, growthTable } from './growth-table.ts'
import { load, memoryMegabytes, settled } from './load.ts'
import { writeSection } from './report.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const sizes = values.sizes.split(',').map(Number)
const seconds = Number(values.seconds)
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

/** The same cases in workspaces of growing size: half companies, half people. */
const lines = new Map<string, GrowthPoint[]>()
for (const size of sizes) {
  const made = await cachedSqlite(`growth-${size}`, { companies: size / 2, people: size / 2 })
  await onCopy(made, async (data) => {
    const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
    try {
      await measureAll(size, `${service.url}/api/v1`, data.token, service.process.pid ?? 0)
    } finally {
      await service.stop()
    }
  })
}
const table = growthTable(sizes, lines)
console.log(table)
if (values.write) {
  const drawn = [...lines].map(
    ([name, points]): Line => ({ name, points: points.map(({ size, perSecond }) => ({ x: size, y: perSecond })) }),
  )
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'growth.svg'), chartOf(drawn))
  writeSection('growth', `![Requests per second by the number of records](growth.svg)\n\n${table}`)
}

async function measureAll(size: number, api: string, token: string, pid: number): Promise<void> {
  const cases = [...(await casesFor({ token }, api)), deepPage(size / 2)]
  for (const one of cases) {
    if (allowed[one.name] === undefined || !one.name.includes(values.only ?? '')) continue
    const point = await measure(one, size, api, token, pid)
    lines.set(one.name, [...(lines.get(one.name) ?? []), point])
    const { perSecond, cpu, total, first } = point
    process.stderr.write(
      `${size}: ${one.name} ${perSecond}/s, ${cpu} µs CPU, the first in ${first} ms, ${total ?? '–'} in all\n`,
    )
  }
  process.stderr.write(`${size}: ${memoryMegabytes(pid)} MB\n`)
}

/**
 * Narrow filters are asked anew each time. A total of half of all records is found once and then known until the next write, so
 * that it is asked again and again, and told by itself how long the first one took.
 */
async function measure(one: Case, size: number, api: string, token: string, pid: number): Promise<GrowthPoint> {
  const anew = one.anew.length > 0 && !one.name.endsWith('1 in 2')
  const target = { url: api, token, method: one.method, requests: anew ? one.anew : one.again, hosts: anew }
  await settled()
  const { ms, total } = await askOnce(target)
  await load(target, 1, undefined)
  await settled()
  const { perSecond, errors, cpuPerRequest } = await load(target, seconds, pid)
  if (errors > 0) throw new Error(`${one.name} at ${size} records had ${errors} errors.`)
  return { size, perSecond: Math.round(perSecond), cpu: Math.round(cpuPerRequest * 1e6), first: ms, total }
}

/** Three quarters down the list, whatever its length. */
function deepPage(companies: number): Case {
  const path = `/companies?page=${Math.floor((companies * 0.75) / 15)}`
  return { name: 'deep page', method: 'GET', again: [{ path }], anew: [{ path }], steady: true }
}
