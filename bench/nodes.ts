import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Service, startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { type BenchData, cachedPostgres } from './data.ts'
import { cpuSeconds, load, settled } from './load.ts'
import { keptPostgres, onDatabaseCopy } from './postgres.ts'
import { writeSection } from './report.ts'

/** What a second process on the same PostgreSQL brings, until the database or the machine is the limit. */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    write: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const asked = ['get by id', 'list of 15', 'select + range, ten', 'create']

const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

const server = await keptPostgres()
const lines: string[] = []
try {
  const data = await cachedPostgres(server.url, `run-${records}`, { companies: records, people: records })
  await onDatabaseCopy(data.url, (url) => measureNodes({ ...data, url }))
} finally {
  await server.stop()
}
const head =
  '| case | one process, requests/s | cores it took | two processes, requests/s | cores they took |\n|---|---|---|---|---|'
const table = `${availableParallelism()} cores for processes, PostgreSQL and load together.\n\n${head}\n${lines.join('\n')}`
console.log(table)
if (values.write) writeSection('nodes', table)

async function measureNodes(data: BenchData): Promise<void> {
  const env = { DATABASE_URL: data.url, SECRET: data.secret, ...noLimits }
  const nodes = [await startService(env), await startService(env)]
  try {
    for (const one of await casesFor(data, `${nodes[0]?.url}/api/v1`)) {
      if (!asked.includes(one.name)) continue
      const cells = [
        ...(await measured(one, data.token, nodes.slice(0, 1))),
        ...(await measured(one, data.token, nodes)),
      ]
      lines.push(`| ${one.name}${isAnew(one) ? ', anew' : ''} | ${cells.join(' | ')} |`)
    }
  } finally {
    for (const node of nodes) await node.stop()
  }
}

function isAnew(one: Case): boolean {
  return one.anew.length > 0 && one.name !== 'get by id'
}

/** Requests/s over all nodes, and how many cores they took. */
async function measured(one: Case, token: string, nodes: readonly Service[]): Promise<string[]> {
  const anew = isAnew(one)
  const requests = anew ? one.anew : one.again
  const seconds = Number(values.seconds)
  await settled()
  const cpu = () => nodes.reduce((sum, node) => sum + cpuSeconds(node.process.pid ?? 0), 0)
  const before = cpu()
  const loads = nodes.map((node) => {
    const target = { url: `${node.url}/api/v1`, token, method: one.method, requests, hosts: anew }
    return load(target, seconds, undefined, Number(values.connections) / nodes.length)
  })
  const perSecond = (await Promise.all(loads)).reduce((sum, each) => sum + each.perSecond, 0)
  return [Math.round(perSecond).toLocaleString('en'), ((cpu() - before) / seconds).toFixed(2)]
}
