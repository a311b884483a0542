import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, type Database } from './data.ts'
import { SECRET, thisCheckout } from './kith.ts'
import { cpuOf } from './load.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { machine, tableOf } from './table.ts'

/** The CPU time of summaries of all opportunities of a workspace, without a cache. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'both' },
    records: { type: 'string', default: '100000' },
    times: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const times = Number(values.times)

const sum = { measure: 'sum', field: 'amount' }
const filter = { name: { $contains: 'an' } }
const cases: [name: string, asked: object][] = [
  ['count', {}],
  ['sum', sum],
  ['count by stage', { group_by: ['stage'] }],
  ['count by company', { group_by: ['company'] }],
  ['count by month of the close date', { group_by: ['close_date'], period: 'month' }],
  ['sum by stage', { ...sum, group_by: ['stage'] }],
  ['sum by company', { ...sum, group_by: ['company'] }],
  ['count by stage and month', { group_by: ['stage', 'close_date'], period: 'month' }],
  ['count by stage and company', { group_by: ['stage', 'company'] }],
  ['count by creator and stage', { group_by: ['creator', 'stage'] }],
  ['sum by stage and month', { ...sum, group_by: ['stage', 'close_date'], period: 'month' }],
  ['count by day of creation, in Berlin', { group_by: ['created_at'], period: 'day', time_zone: 'Europe/Berlin' }],
  ['count by tier of the company', { group_by: ['company.tier'] }],
  ['count by creation source and stage', { group_by: ['creation_source', 'stage'] }],
  ['sum by stage, of a third', { ...sum, filter, group_by: ['stage'] }],
]

for (const database of ['sqlite', 'postgres'] as const) {
  if (!['both', database].includes(values.database)) continue
  const table = await measure(database)
  console.log(table)
  if (values.write) writeSection(`summaries-${database}`, table)
}

async function measure(database: Database): Promise<string> {
  const server = database === 'postgres' ? await startServer() : undefined
  try {
    const sizes = { companies: records / 5, opportunities: records }
    const { data } = await cachedData({ database, sizes, server: server?.url })
    const service = await startService({ DATABASE_URL: data.url, SECRET, RATE_LIMIT_READS: '0' }, thisCheckout)
    const target = { pid: service.process.pid ?? 0, database: server?.pid }
    const rows: (string | number)[][] = []
    for (const [name, asked] of cases.filter(([name]) => name.includes(values.only))) {
      const send = () => summary(`${service.url}/api/v1/opportunities/summary`, data.token, asked)
      // The first requests read the pages of the database.
      for (let time = 0; time < 3; time++) await send()
      const [cpu, began] = [cpuOf(target), performance.now()]
      for (let time = 0; time < times; time++) await send()
      const groups = await send()
      rows.push([name, ((cpuOf(target) - cpu) / (times + 1)) * 1000, (performance.now() - began) / (times + 1), groups])
    }
    await service.stop()
    const title = `### ${database}, ${records.toLocaleString('en')} opportunities`
    return `${title}\n\n${machine()}\n\n${tableOf(['summary', 'CPU ms', 'ms', 'groups'], rows)}`
  } finally {
    await server?.stop()
  }
}

/** How many groups the summary has. */
async function summary(url: string, token: string, asked: object): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(asked) })
  if (!response.ok) throw new Error(`${JSON.stringify(asked)} got ${response.status}: ${await response.text()}`)
  // Only summaries are requested here.
  return ((await response.json()) as { meta: { total_groups: number } }).meta.total_groups
}
