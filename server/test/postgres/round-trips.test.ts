import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { createRecord, updateRecord, upsertRecord } from '../../src/records/write.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { newWorkspace } from '../workspace.ts'

const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })

/** How often a write waits for the database: for every answer it asks for, and for the commit. */
async function waitsOf(scope: Scope, write: (counting: Scope) => Promise<unknown>): Promise<number> {
  let waits = 1
  let asked = 0
  const groupTransaction: typeof scope.engine.groupTransaction = (name, work) =>
    scope.engine.groupTransaction(name, (inside) => {
      const { session, posting, count } = inside
      const counted = {
        ...session,
        async run(text: string, parameters: readonly unknown[]) {
          // What is asked at the same moment is waited for once.
          if (asked++ === 0) waits++
          try {
            return await session.run(text, parameters)
          } finally {
            asked--
          }
        },
      }
      return work({ session: counted, posting, count })
    })
  await write({ ...scope, engine: { ...scope.engine, groupTransaction } })
  return waits
}

it('a write waits for the fields, for the commit, and once for each read', async () => {
  const { scope } = await newWorkspace()
  const inside = await scope()
  const companies = registry.companies
  const { data } = await createRecord(inside, companies, sent({ name: 'First' }))
  const plain = sent({ name: 'Plain', custom_fields: { icp: true } })
  expect(await waitsOf(inside, (counting) => createRecord(counting, companies, plain))).toBe(2)
  const unique = sent({ name: 'Unique', custom_fields: { domains: ['unique.example'] } })
  expect(await waitsOf(inside, (counting) => createRecord(counting, companies, unique))).toBe(3)
  const id = String(data()[0]?.id)
  expect(await waitsOf(inside, (counting) => updateRecord(counting, companies, { id, ...sent({ name: 'New' }) }))).toBe(
    3,
  )
  const upsert = sent({ match: { field: 'domains', value: 'unique.example' }, name: 'Found' })
  expect(await waitsOf(inside, (counting) => upsertRecord(counting, companies, upsert))).toBe(3)
  const named = { company_id: id }
  const person = sent({ name: 'Ada', ...named })
  expect(await waitsOf(inside, (counting) => createRecord(counting, registry.people, person))).toBe(3)
  const { data: people } = await createRecord(inside, registry.people, sent({ name: 'Bo' }))
  const change = sent({ name: 'Bob', ...named })
  // What it refers to, and the person: asked at once, in this order.
  const bo = String(people()[0]?.id)
  expect(await waitsOf(inside, (counting) => updateRecord(counting, registry.people, { id: bo, ...change }))).toBe(3)
})
