import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { casesFor } from './cases.ts'
import { cachedPostgres } from './data.ts'
import { cpuSeconds, load } from './load.ts'
import { keptPostgres } from './postgres.ts'
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

const server = await keptPostgres()
const lines: string[] = []
try {
  const data = await cachedPostgres(server.url, `run-${records}`, { companies: records, people: records })
  const env = { DATABASE_URL: data.url, SECRET: data.secret }
  const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
  const nodes = [await startService({ ...env, ...noLimits }), await startService({ ...env, ...noLimits })]
  try {
    const cases = await casesFor(data, `${nodes[0]?.url}/api/v1`)
    for (const one of cases.filter(({ name }) => asked.includes(name))) {
      const anew = one.anew.length > 0 && one.name !== 'get by id'
      const cells: string[] = []
      for (const count of [1, 2]) {
        const serving = nodes.slice(0, count)
        const before = serving.map((node) => cpuSeconds(node.process.pid ?? 0))
        const measured = await Promise.all(
          serving.map((node) =>
            load(
              {
                url: `${node.url}/api/v1`,
                token: data.token,
                method: one.method,
                requests: anew ? one.anew : one.again,
                hosts: anew,
              },
              Number(values.seconds),
              undefined,
              Number(values.connections) / count,
            ),
          ),
        )
        const busy = serving.map((node, index) => cpuSeconds(node.process.pid ?? 0) - (before[index] ?? 0))
        const perSecond = measured.reduce((sum, each) => sum + each.perSecond, 0)
        const share = busy.reduce((sum, each) => sum + each, 0) / Number(values.seconds)
        cells.push(Math.round(perSecond).toLocaleString('en'), share.toFixed(2))
      }
      lines.push(`| ${one.name}${anew ? ', anew' : ''} | ${cells.join(' | ')} |`)
    }
  } finally {
    for (const node of nodes) await node.stop()
  }
} finally {
  await server.stop()
}
const head =
  '| case | one process, requests/s | cores it took | two processes, requests/s | cores they took |\n|---|---|---|---|---|'
const table = `${availableParallelism()} cores for processes, PostgreSQL and load together.\n\n${head}\n${lines.join('\n')}`
console.log(table)
if (values.write) writeSection('nodes', table)
