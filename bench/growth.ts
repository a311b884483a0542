import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { chartOf, type Line } from './chart.ts'
import { cachedSqlite } from './data.ts'
import { load } from './load.ts'
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

/** How much slower a case may be in the largest workspace than in the smallest. Filters that match a share of all grow with what they match. */
const allowed: Readonly<Record<string, number>> = {
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
  'name contains, 1 in 2': 3,
  'select + range, 1 in 2': 3,
}

/** The same cases in workspaces of growing size: half companies, half people. */
const lines = new Map<string, Line>()
for (const size of sizes) {
  const data = await cachedSqlite(`growth-${size}`, { companies: size / 2, people: size / 2 })
  const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
  try {
    const api = `${service.url}/api/v1`
    const cases = [...(await casesFor(data, api)), deepPage(size / 2)]
    for (const one of cases) {
      if (allowed[one.name] === undefined || !one.name.includes(values.only ?? '')) continue
      const requests = one.anew.length > 0 ? one.anew : one.again
      const target = { url: api, token: data.token, method: one.method, requests, hosts: one.anew.length > 0 }
      await load(target, 1, undefined)
      const { perSecond, errors } = await load(target, seconds, service.process.pid)
      if (errors > 0) throw new Error(`${one.name} at ${size} records had ${errors} errors.`)
      const line = lines.get(one.name) ?? { name: one.name, points: [] }
      line.points.push({ x: size, y: Math.round(perSecond) })
      lines.set(one.name, line)
      process.stderr.write(`${size}: ${one.name} ${Math.round(perSecond)}/s\n`)
    }
  } finally {
    await service.stop()
  }
}
const table = tableOf([...lines.values()])
console.log(table)
if (values.write) {
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'growth.svg'), chartOf([...lines.values()]))
  writeSection('growth', `![Requests per second by the number of records](growth.svg)\n\n${table}`)
}

/** Three quarters down the list, whatever its length. */
function deepPage(companies: number): Case {
  const path = `/companies?page=${Math.floor((companies * 0.75) / 15)}`
  return { name: 'deep page', method: 'GET', again: [{ path }], anew: [{ path }], steady: true }
}

function tableOf(all: readonly Line[]): string {
  const head = `| requests/s | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} | slower by | may be |`
  const rows = all.map(({ name, points }) => {
    const slower = (points[0]?.y ?? 0) / Math.max(1, points.at(-1)?.y ?? 1)
    return `| ${name} | ${points.map(({ y }) => y.toLocaleString('en')).join(' | ')} | ${slower.toFixed(2)} × | ${allowed[name]} × |`
  })
  return [head, `|---|${sizes.map(() => '---').join('|')}|---|---|`, ...rows].join('\n')
}
