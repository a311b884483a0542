import { newId } from '@kith/contract/id'
import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { Db } from '../../../src/storage/engines/engine.ts'
import { newWorkspace } from '../../workspace.ts'

/** The same scope, which also counts what it asks of the database. */
function counting(scope: Scope): Scope & { asked: string[] } {
  const asked: string[] = []
  const over = ({ session, append }: Db): Db => {
    const counted = {
      dialect: session.dialect,
      run(sql: string, parameters: readonly unknown[]) {
        asked.push(sql)
        return session.run(sql, parameters)
      },
    }
    return append ? { session: counted, append } : { session: counted }
  }
  const { engine } = scope
  const groupTransaction: typeof engine.groupTransaction = (name, work) =>
    engine.groupTransaction(name, (inside) => work(over(inside)))
  const readTransaction: typeof engine.readTransaction = (work) =>
    engine.readTransaction((inside) => work(over(inside)))
  const watched = { ...engine, short: over(engine.short), groupTransaction, readTransaction }
  return { ...scope, db: over(scope.db), engine: watched, asked }
}

describe('2. Ids of a list are checked in one statement per kind, not one per id', () => {
  it.each([
    ['tasks', ['company_ids', 'people_ids', 'opportunity_ids', 'assignee_ids']],
    ['notes', ['company_ids', 'people_ids', 'opportunity_ids']],
  ] as const)('%s', async (type, keys) => {
    const { scope } = await newWorkspace()
    /** The statements of a create that is refused in any case, with so many ids in each of some lists. */
    const statements = async (lists: readonly string[], count: number) => {
      const counted = counting(await scope())
      const links = lists.map((key) => [key, Array.from({ length: count }, () => newId(0))])
      const body = { title: null, ...Object.fromEntries(links) }
      const creating = createRecord(counted, registry[type], { body, asked: { raw: {}, loose: true, issues: [] } })
      await expect(creating).rejects.toThrow(Refusal)
      return counted.asked.length
    }
    // Of records that are not there, a second one finds those that were merged into others.
    const needed = (lists: readonly string[]) => lists.flatMap((key) => (key === 'assignee_ids' ? [1] : [1, 2])).length
    await statements([], 0)
    const none = await statements([], 0)
    for (const [index] of keys.entries()) {
      const some = keys.slice(0, index + 1)
      expect(await statements(some, 1)).toBe(none + needed(some))
    }
    expect(await statements(keys, 500)).toBe(none + needed(keys))
  })
})

describe('a write needs few statements', () => {
  it('one for each table', async () => {
    const { scope } = await newWorkspace()
    const company = { name: 'Acme', custom_fields: { icp: true, linkedin: ['https://linkedin.com/company/acme'] } }
    const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })
    const counted = counting(await scope())
    await createRecord(counted, registry.companies, sent(company))
    counted.asked.length = 0
    const { data } = await createRecord(counted, registry.companies, sent(company))
    // The version of the fields, the record, its values, its search texts and the audit log; SQLite counts, too.
    expect(counted.asked.length).toBeLessThanOrEqual(6)
    counted.asked.length = 0
    await updateRecord(counted, registry.companies, { id: String(data()[0]?.id), ...sent({ name: 'Acme Ltd' }) })
    // A lock on the record, and the record itself, come before the changes.
    expect(counted.asked.length).toBeLessThanOrEqual(7)
  })
})

describe('a list asks little of the database, however many records there are', () => {
  it('one statement for a page near its beginning, three at most for a page of a filter', async () => {
    const { api, scope } = await newWorkspace()
    for (let i = 0; i < 20; i++) await api.post('/companies', { name: `Company ${i}` })
    const counted = counting(await scope())
    const list = async (raw: Record<string, unknown>) => {
      counted.asked.length = 0
      await listRecords(counted, registry.companies, { raw, loose: true, issues: [] })
      return counted.asked.length
    }
    await list({})
    expect(await list({})).toBe(1)
    expect(await list({ per_page: '100' })).toBe(1)
    expect(await list({ per_page: '5', page: '2' })).toBe(1)
    const filter = { name: { $contains: 'company' } }
    expect(await list({ filter })).toBeLessThanOrEqual(3)
    expect(await list({ filter, page: '2' })).toBeLessThanOrEqual(3)
    expect(await list({ filter, page: '9' })).toBeLessThanOrEqual(3)
  })
})
