import { beforeAll, describe, expect, it } from 'vitest'
import type { Operation, Outcome } from '../../../src/batch/operation.ts'
import { runOperations } from '../../../src/batch/run-operations.ts'
import { inTransaction } from '../../../src/scope/scope.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

async function run(...operations: Operation[]): Promise<Outcome[]> {
  const scope = await workspace.scope()
  return inTransaction(scope, (inside) => runOperations(inside, operations))
}

/** The operation on a company with a domain. */
const company = (name: string, domain: string) => ({
  resource: 'companies' as const,
  data: { name, custom_fields: { domains: [domain] } },
})
const upsert = (name: string, value: string, data: object = {}): Operation => ({
  op: 'upsert',
  resource: 'companies',
  match: { field: 'domains', value },
  data: { name, ...data },
})

function told(outcome: Outcome | undefined): string {
  if (!outcome) return 'nothing'
  if ('refused' in outcome) return outcome.refused.kind
  if ('removed' in outcome) return 'deleted'
  return outcome.created ? 'created' : outcome.change_id ? 'changed' : 'unchanged'
}

function idOf(outcome: Outcome | undefined): string {
  if (!outcome || 'refused' in outcome) throw new Error('It was refused.')
  return 'removed' in outcome ? outcome.removed : outcome.row.id
}

describe('operations of one transaction', () => {
  it('each see what the ones before did, also in one set', async () => {
    const made = await run(
      { op: 'create', ...company('One', 'one.example') },
      { op: 'create', ...company('Two', 'two.example') },
      { op: 'create', ...company('Again', 'one.example') },
      upsert('One, renamed', 'one.example'),
      upsert('One, renamed', 'https://www.one.example'),
      upsert('Three', 'three.example'),
    )
    expect(made.map(told)).toEqual(['created', 'created', 'invalid', 'changed', 'unchanged', 'created'])
    const { body } = await workspace.api.get(`/companies/${idOf(made[0])}`)
    expect(body.data.attributes.name).toBe('One, renamed')
  })

  it('one may take a value that an earlier one gives up, and not one that a later one gives up', async () => {
    const [a, b] = await run(
      { op: 'create', ...company('A', 'a.example') },
      { op: 'create', ...company('B', 'b.example') },
    )
    const change = (id: string, domain: string): Operation => ({
      op: 'update',
      resource: 'companies',
      id,
      data: { custom_fields: { domains: [domain] } },
    })
    const free = await run(change(idOf(a), 'free.example'), change(idOf(b), 'a.example'))
    expect(free.map(told)).toEqual(['changed', 'changed'])
    const taken = await run(change(idOf(b), 'free.example'), change(idOf(a), 'c.example'))
    expect(taken.map(told)).toEqual(['invalid', 'changed'])
  })

  it('two upserts by different values may find one record, and are carried out in their order', async () => {
    const domains = ['x.example', 'y.example']
    await run({ op: 'create', resource: 'companies', data: { name: 'X', custom_fields: { domains } } })
    const found = await run(upsert('First', 'x.example'), upsert('Second', 'y.example'), upsert('Third', 'z.example'))
    expect(found.map(told)).toEqual(['changed', 'changed', 'created'])
    const second = found[1]
    if (!second || !('change_id' in second)) throw new Error('It was refused.')
    const { body } = await workspace.api.get(`/changes/${second.change_id}`)
    expect(body.data.attributes.changes).toEqual([{ field: 'name', before: 'First', after: 'Second' }])
  })

  it('an update of a record that an earlier one deleted is not found', async () => {
    const [made] = await run({ op: 'create', ...company('Gone', 'gone.example') })
    const id = idOf(made)
    const outcomes = await run(
      { op: 'delete', resource: 'companies', id },
      { op: 'delete', resource: 'companies', id },
      { op: 'update', resource: 'companies', id, data: { name: 'Back' } },
      { op: 'update', resource: 'companies', id: 'nonsense', data: { name: 'Back' } },
      { op: 'create', ...company('New', 'gone.example') },
    )
    expect(outcomes.map(told)).toEqual(['deleted', 'not_found', 'not_found', 'not_found', 'created'])
  })

  it('a lid is the id of the record of an earlier operation', async () => {
    const outcomes = await run(
      { ...upsert('Lid', 'lid.example'), lid: 'acme' },
      { op: 'create', resource: 'people', lid: 'ada', data: { name: 'Ada', company_id: { lid: 'acme' } } },
      { op: 'create', resource: 'tasks', data: { title: 'Call', people_ids: [{ lid: 'ada' }] } },
      { op: 'update', resource: 'people', id: { lid: 'ada' }, data: { name: 'Ada L.' } },
      { op: 'create', resource: 'people', data: { name: 'Bo', company_id: { lid: 'later' } } },
      { op: 'create', resource: 'companies', lid: 'later', data: {} },
      { op: 'create', resource: 'people', data: { name: 'Cy', company_id: { lid: 'later' } } },
    )
    expect(outcomes.map(told)).toEqual(['created', 'created', 'created', 'changed', 'invalid', 'invalid', 'invalid'])
    const { body } = await workspace.api.get(`/people/${idOf(outcomes[1])}?include=company`)
    expect(body.data.relationships.company.data.id).toBe(idOf(outcomes[0]))
  })

  it('a refused one leaves nothing behind, and the number of statements does not grow', async () => {
    const scope = await workspace.scope()
    const count = async (rows: number) => {
      const operations = Array.from({ length: rows }, (_, index): Operation => {
        const domain = `${rows}-${index}.example`
        return { op: 'create', ...company(index % 2 === 0 ? `Row ${index}` : '', domain) }
      })
      let asked = 0
      const outcomes = await inTransaction(scope, (inside) => {
        const run = (text: string, values: readonly unknown[]) => {
          // A process takes numbers for its next 1,000 records at a time.
          if (!text.includes('nextval')) asked++
          return inside.db.session.run(text, values)
        }
        const { append } = inside.db
        return runOperations(
          { ...inside, db: { ...(append ? { append } : {}), session: { dialect: inside.db.session.dialect, run } } },
          operations,
        )
      })
      expect(outcomes.filter((outcome) => 'refused' in outcome)).toHaveLength(rows / 2)
      return asked
    }
    await count(2)
    expect(await count(100)).toBe(await count(20))
  })
})
