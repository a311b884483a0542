import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { cachedData } from './data.ts'
import { SECRET } from './kith.ts'
import { calibrate, cpuOf, load, stopGenerators, type Target } from './load.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'
import { startWriter } from './writer.ts'

/** One process and two processes on the same PostgreSQL. */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const measured = ['get by id', 'list of 15', 'select + range, 1 in 1,000', 'create']
const columns = ['case', 'one process, requests/s', 'cores', 'two processes, requests/s', 'cores']

const server = await startServer()
try {
  const sizes = { companies: records, people: records }
  const { copy } = await cachedData({ database: 'postgres', sizes, server: server.url })
  const { url, token } = await copy('nodes')
  const env = { DATABASE_URL: url, SECRET, ...rateLimits(0) }
  const services = [await startService(env), await startService(env)]
  const nodes = services.map((one) => ({ api: `${one.url}/api/v1`, token, pid: one.process.pid ?? 0 }))
  try {
    const cores = `${availableParallelism()} cores for the processes, PostgreSQL and the load.`
    const table = `${cores}\n\n${tableOf(columns, await measure(nodes))}`
    console.log(table)
    if (values.write) writeSection('nodes', table)
  } finally {
    stopGenerators()
    for (const service of services) await service.stop()
  }
} finally {
  await server.stop()
}

async function measure(nodes: readonly Target[]): Promise<(string | number)[][]> {
  const [first] = nodes
  if (!first) return []
  const { cases, companies } = await casesFor(first)
  const writer = startWriter(first, companies)
  const rows: (string | number)[][] = []
  for (const one of cases.filter(({ name }) => measured.includes(name))) {
    rows.push([one.name, ...(await loadOn([first], one)), ...(await loadOn(nodes, one))])
  }
  await writer.stop()
  return rows
}

/** Requests/s over all nodes, and how many cores they use. */
async function loadOn(nodes: readonly Target[], one: Case): Promise<number[]> {
  const connections = 32 / nodes.length
  const amounts = await Promise.all(nodes.map((node) => calibrate(node, one, Number(values.seconds))))
  const cpu = () => nodes.reduce((sum, node) => sum + cpuOf(node), 0)
  const [before, started] = [cpu(), performance.now()]
  const loads = nodes.map((node, index) => load(node, one, { amount: amounts[index] ?? 1, connections }))
  const perSecond = (await Promise.all(loads)).reduce((sum, each) => sum + each.perSecond, 0)
  return [perSecond, (cpu() - before) / ((performance.now() - started) / 1000)]
}
