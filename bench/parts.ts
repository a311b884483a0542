import { abilities } from '@kith/contract/abilities'
import { parseListQuery } from '@kith/contract/list-query'
import { parseQueryString } from '@kith/contract/query-string'
import { resourceIn } from '@kith/contract/resource'
import { admit, authenticate } from '../server/src/accounts/authenticate.ts'
import { openScope } from '../server/src/fields/definitions.ts'
import { answerList, answerRecord } from '../server/src/http/v1/requests.ts'
import { limitWith, spendInMemory } from '../server/src/limits/rate-limit.ts'
import { completeRows, shownKeys } from '../server/src/records/complete-rows.ts'
import { presentRecords } from '../server/src/records/present.ts'
import { openEngine } from '../server/src/storage/engines/open-engine.ts'
import { loadPage } from '../server/src/storage/query/pages.ts'
import { findRecord } from '../server/src/storage/tables/records.ts'
import { cachedData } from './data.ts'
import { SECRET } from './kith.ts'
import { percentile } from './numbers.ts'
import { writeSection } from './report.ts'

/** The cost of each part of a request, measured in this process. HTTP and Fastify are not included. */
const records = Number(process.argv[2] ?? 100_000)
const sizes = { companies: records, people: records }
const { data } = await cachedData({ database: 'sqlite', sizes, server: undefined })
const engine = openEngine({ url: data.url, connections: 1 }, { writes: false })
const header = `Bearer ${data.token}`
const now = new Date()
const bearer = await authenticate(engine, header, { now })
const facts = admit(bearer, { needed: abilities, source: 'api', hosted: false, app_url: '', now })
const scope = await openScope({ engine, secret: SECRET, now: () => new Date() }, facts)
const resource = resourceIn(scope.schema, 'companies')
const context = { resource, loose: true }
const spender = { workspace_id: bearer.workspace_id, token_id: bearer.token_id, kind: 'read' as const }
const limiter = limitWith(spendInMemory(), { workspace: 1e9, reads: 1e9, writes: 1e9, items: 0 })
const address = { path: 'http://localhost:3000/api/v1/companies', parameters: {} }
const ignored = () => {}

const shared = {
  authenticate: await costOf(() => authenticate(engine, header, { now })),
  limit: await costOf(() => limiter(spender)),
}
const columns = {
  'list of 15': await listCosts(15),
  'list of 100': await listCosts(100),
  'get by id': await readCosts(),
}
await engine.close()

const names = [...Object.keys(shared), 'parse', 'query', 'present and serialise']
const rows = names.map((name) => {
  const cells = Object.values(columns).map((costs) => ({ ...shared, ...costs })[name as keyof typeof shared].toFixed(1))
  return `| ${name} | ${cells.join(' | ')} |`
})
const table = `| µs | ${Object.keys(columns).join(' | ')} |\n|---|${'---|'.repeat(3)}\n${rows.join('\n')}`
console.log(table)
if (process.argv.includes('--write')) writeSection('parts', table)

async function listCosts(size: number) {
  const text = `per_page=${size}`
  const query = parseListQuery(parseQueryString(text, ignored), context, ignored)
  const page = await loadPage(scope, resource, { ...query, page: 1 })
  if (!page) throw new Error('There are no records to list.')
  const { rows: found, total } = page
  const keys = shownKeys(resource, query.fields)
  return {
    parse: await costOf(() => parseListQuery(parseQueryString(text, ignored), context, ignored)),
    query: await costOf(() => loadPage(scope, resource, { ...query, page: 1 })),
    'present and serialise': await costOf(async () => {
      const complete = await completeRows(scope, resource.type, { rows: found, keys })
      const presented = await presentRecords(scope, resource, { ...query, rows: complete })
      return answerList(Object.assign(presented, { by: 'page' as const, page: 1, per_page: size, total }), address)
    }),
  }
}

async function readCosts() {
  const query = parseListQuery({}, context, ignored)
  const listed = (await loadPage(scope, resource, { ...query, page: 3 }))?.rows[0]
  const first = listed && (await findRecord(scope, resource, listed.id))
  if (!first) throw new Error('There is no record to read.')
  return {
    parse: await costOf(() => parseListQuery(parseQueryString('', ignored), context, ignored)),
    query: await costOf(() => findRecord(scope, resource, first.id)),
    'present and serialise': await costOf(async () =>
      answerRecord(200, await presentRecords(scope, resource, { ...query, rows: [first] })),
    ),
  }
}

/** Microseconds for one call: the tenth percentile of 200 rounds, so that other load on the machine counts little. */
async function costOf(work: () => unknown): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < 300; round++) {
    const started = performance.now()
    for (let i = 0; i < 100; i++) await work()
    if (round >= 100) rounds.push((performance.now() - started) * 10)
  }
  return percentile(rounds, 10)
}
