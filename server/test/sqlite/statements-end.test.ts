import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { listRecords } from '../../src/records/list.ts'
import { searchRecords } from '../../src/records/search.ts'
import { readSummary } from '../../src/records/summary.ts'
import { createRecord } from '../../src/records/write.ts'
import { loadSample } from '../../src/sample/load.ts'
import { inTransaction, type Scope } from '../../src/scope/scope.ts'
import type { Db } from '../../src/storage/engines/engine.ts'
import { labelField } from '../../src/storage/engines/search-fields.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { newTimeLimit, withTimeLimit } from '../../src/storage/engines/time-limit.ts'
import { newWorkspace } from '../workspace.ts'

const { companies, people } = registry
let scope: Scope

/** Whether a statement is about to begin. After that, only the statement itself asks whether there is time left. */
let beginning = false

beforeAll(async () => {
  const workspace = await newWorkspace()
  await workspace.field('companies', { name: 'Rank', type: 'number' })
  await workspace.field('companies', { name: 'Points', type: 'number' })
  const entered = await workspace.scope()
  const sizes = { companies: 5000, people: 500, opportunities: 0, tasks: 0, notes: 0 }
  await loadSample(entered, { sizes, seed: 1 })
  // A search checks the time on one of 64 row numbers, so that it is certain to check within these: other tests write
  // to the same table, but not during the transaction.
  await inTransaction(entered, async (inside) => {
    for (let n = 0; n < 2 * 64; n++) {
      await createRecord(inside, companies, {
        body: { name: `Old Parzival ${n}` },
        asked: { raw: {}, loose: true, issues: [] },
      })
    }
  })
  const { engine } = entered
  const db = watched(entered.db)
  const readTransaction: typeof engine.readTransaction = (work) =>
    engine.readTransaction((inside) => work(watched(inside)))
  scope = { ...entered, db, engine: { ...engine, db, short: db, readTransaction } }
})

/** Notes when a statement begins. */
function watched({ session }: Db): Db {
  return {
    session: {
      dialect: session.dialect,
      run(text, parameters) {
        beginning = true
        return session.run(text, parameters)
      },
    },
  }
}

const list = (raw: Record<string, unknown>) => listRecords(scope, companies, { raw, loose: false, issues: [] })
const found = (part: string) =>
  sql`select count(*) from (${scope.engine.search.containing(scope.workspace.number, labelField(companies), [part])}) s`.all(
    scope.db,
  )
const summary = (resource: Resource, raw: Record<string, unknown>) =>
  readSummary(scope, resource, { raw, loose: false, issues: [] })
const nameless = { $not: { name: { $contains: 'q' } } }
const lately = { created_at: { $gt: '2000-01-01' } }
const noPerson = { people: { name: { $contains: 'qzx' } } }

describe('a statement under way ends when its request has no time left', () => {
  const reads: [string, () => Promise<unknown>][] = [
    ['a search for two letters', () => found('an')],
    ['a search for more', () => found('parz')],
    ['the search of the application', () => searchRecords(scope, { query: 'parz' })],
    ['a list that probes every record', () => list({ filter: { $not: { $not: noPerson } }, cursor: true })],
    ['a list that probes what an index finds', () => list({ filter: { $and: [nameless, lately] } })],
    ['a scan along names', () => list({ filter: { $not: { $not: noPerson } }, cursor: true, sort: 'name' })],
    ['the total', () => list({ filter: { $or: [noPerson, nameless] }, page: 2 })],
    ['a sort by two custom fields', () => list({ sort: 'custom_fields.rank,custom_fields.points' })],
    ['a filtered sort by one', () => list({ sort: 'custom_fields.rank', filter: nameless })],
    ['a summary by a choice', () => summary(companies, { group_by: ['custom_fields.icp'] })],
    ['a summary by a reference', () => summary(people, { group_by: ['company'] })],
    ['a summary by two names', () => summary(people, { group_by: ['company', 'creator'] })],
    ['a summary by a text', () => summary(companies, { measure: 'distinct', field: 'name', group_by: ['icp'] })],
    ['a sum', () => summary(companies, { measure: 'sum', field: 'rank' })],
    ['a filtered summary', () => summary(companies, { filter: nameless, group_by: ['icp'] })],
  ]
  it.each(reads)('%s', async (_name, read) => {
    let stops = 0
    const isDisconnected = () => {
      const isRunning = !beginning
      beginning = false
      if (isRunning) stops++
      return isRunning
    }
    await expect(withTimeLimit(newTimeLimit(3600, isDisconnected), read)).rejects.toThrow('took longer than')
    // A search asks for all resources at once, and each of its statements stops.
    expect(stops).toBeGreaterThan(0)
    // The connection is as good as before.
    await read()
  })
})
