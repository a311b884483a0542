import { newId } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeWrites } from '../../../src/records/store.ts'
import { removeRecord, restoreRecord } from '../../../src/records/trash/restore.ts'
import { createField, updateField } from '../../../src/schema/define.ts'
import { inTransaction } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import type { StoredField } from '../../../src/storage/tables/custom-fields.ts'
import { loadLiveCount } from '../../../src/storage/tables/records.ts'
import { storedRecords, storedValues } from '../../stored-rows.ts'
import { issuesOf, make, openRoom, type Room, read } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

const stage = { entity_type: 'opportunities', code: 'stage' } as const

function labels(field: StoredField): string[] {
  return field.options.map((option) => option.label)
}

async function indexed(field: StoredField) {
  const { db, workspace } = await room.enter()
  return sql<{ record_id: string; match_key: string | null }>`select record_id, match_key from ${storedValues}
    where workspace_id = ${workspace.id} and field_id = ${field.id} order by record_id, match_key`.all(db)
}

async function version(resource: string): Promise<number> {
  const { db, workspace } = await room.enter()
  const rows = await sql<{ version: number }>`select version from record_counts
    where workspace_id = ${workspace.id} and resource = ${resource}`.all(db)
  return rows.reduce((sum, row) => sum + row.version, 0)
}

test('options keep their id and colour when they are renamed, moved or named by their label', async () => {
  const made = await createField(await room.enter(), 'tasks', { name: 'Size', type: 'radio', options: ['S', 'M', 'L'] })
  const [s, m, l] = made.options
  const address = { entity_type: 'tasks', code: 'size' } as const
  const { field } = await updateField(await room.enter(), address, {
    options: [{ id: l?.id.toUpperCase(), label: 'Large' }, 's', 'XL', { id: m?.id, color: 'pink' }],
  })
  expect(field.options).toEqual([
    { id: l?.id, label: 'Large', color: l?.color },
    { id: s?.id, label: 's', color: s?.color },
    { id: expect.any(String), label: 'XL', color: 'orange' },
    { id: m?.id, label: 'M', color: 'pink' },
  ])
  expect(made.options.some((option) => option.id === field.options[2]?.id)).toBe(false)
  const swapped = [
    { id: s?.id, label: 'M' },
    { id: m?.id, label: 's' },
  ]
  expect(labels((await updateField(await room.enter(), address, { options: swapped })).field)).toEqual(['M', 's'])
  const twice = { options: [{ id: s?.id }, { id: s?.id, label: 'again' }, { id: newId(0), label: 'stranger' }] }
  expect(Object.keys(await issuesOf(updateField(await room.enter(), address, twice)))).toEqual([
    'options.1',
    'options.2',
  ])
})

test('options are added, removed and renamed one by one', async () => {
  const before = (await updateField(await room.enter(), stage, {})).field
  const { field } = await updateField(await room.enter(), stage, {
    add_options: ['On hold'],
    remove_options: ['prospecting', before.options[1]?.id],
    rename_options: [{ from: 'closed won', to: 'Won' }],
  })
  expect(labels(field)).toEqual([...labels(before).slice(2, 8), 'Won', 'Closed Lost', 'On hold'])
  const ids = before.options.map((option) => option.id)
  expect(field.options.slice(0, 8).map((option) => option.id)).toEqual(ids.slice(2))
  const problems = await issuesOf(
    updateField(await room.enter(), stage, {
      add_options: ['New', 'won'],
      remove_options: ['Lost'],
      rename_options: [
        { from: 'Proposal', to: '' },
        { from: 'Nothing', to: 'x' },
      ],
    }),
  )
  expect(Object.keys(problems).sort()).toEqual([
    'add_options.1',
    'remove_options.0',
    'rename_options.0',
    'rename_options.1',
  ])
  expect(
    Object.keys(await issuesOf(updateField(await room.enter(), stage, { options: [], add_options: ['x'] }))),
  ).toEqual(['add_options'])
  const text = { entity_type: 'people', code: 'job_title' } as const
  expect(Object.keys(await issuesOf(updateField(await room.enter(), text, { add_options: ['x'] })))).toEqual([
    'options',
  ])
})

test('deleting an option clears it from records, deleted ones too, and moves their time', async () => {
  const single = await createField(await room.enter(), 'companies', {
    name: 'One',
    type: 'select',
    options: ['A', 'B', 'C'],
  })
  const several = await createField(await room.enter(), 'companies', {
    name: 'Many',
    type: 'multi-select',
    options: ['A', 'B', 'C'],
  })
  const scope = await room.enter()
  const holder = await make(scope, 'companies', { one: 'B', many: ['A', 'B', 'C'] })
  const deleted = await make(scope, 'companies', { one: 'B', many: ['B'] })
  const bystander = await make(scope, 'companies', { one: 'C', many: ['C'] })
  await removeRecord(scope, registry.companies, { id: deleted })
  const before = {
    holder: await read(scope, 'companies', holder),
    bystander: await read(scope, 'companies', bystander),
  }
  const counted = await version('companies')

  const { field: one } = await updateField(scope, { entity_type: 'companies', code: 'one' }, { remove_options: ['B'] })
  const { field: many } = await updateField(
    scope,
    { entity_type: 'companies', code: 'many' },
    { remove_options: ['A', 'B'] },
  )

  const after = await read(await room.enter(), 'companies', holder)
  const c = many.options[0]
  expect(after.custom_fields).toMatchObject({ one: null, many: [{ id: c?.id, label: 'C' }] })
  expect(after.updated_at > before.holder.updated_at).toBe(true)
  expect(await read(await room.enter(), 'companies', bystander)).toEqual(before.bystander)
  expect(await version('companies')).toBeGreaterThan(counted)
  expect(await loadLiveCount(await room.enter(), 'companies')).toBe(2)

  await restoreRecord(await room.enter(), registry.companies, { id: deleted })
  const stored = await storedOf('companies', [holder, deleted])
  expect(stored.get(holder)).toEqual({ many: [c?.id] })
  expect(stored.get(deleted)).toEqual({})
  expect(await indexed(one)).toEqual([{ record_id: bystander, match_key: single.options[2]?.id }])
  expect(await indexed(many)).toEqual([
    { record_id: holder, match_key: several.options[2]?.id },
    { record_id: bystander, match_key: several.options[2]?.id },
  ])
})

test('moving an option rewrites nothing of the records', async () => {
  const made = await createField(await room.enter(), 'people', {
    name: 'Rank',
    type: 'select',
    options: ['A', 'B', 'C'],
  })
  const scope = await room.enter()
  for (const rank of ['A', 'B', 'C']) await make(scope, 'people', { rank })
  const before = [await indexed(made), await version('people')]
  await updateField(scope, { entity_type: 'people', code: 'rank' }, { options: ['C', 'A', 'B'] })
  expect([await indexed(made), await version('people')]).toEqual(before)
})

test('any number of records is cleared in batches', async () => {
  const made = await createField(await room.enter(), 'notes', {
    name: 'Kind',
    type: 'checkbox-list',
    options: ['A', 'B'],
  })
  const scope = await room.enter()
  const at = new Date(Date.UTC(2026, 0, 1)).toISOString()
  const [a = '', b = ''] = made.options.map((option) => option.id)
  const records = Array.from({ length: 1100 }, (_, index) => ({
    id: newId(Date.UTC(2026, 0, 1)),
    label: `${index}`,
    references: new Map(),
    creation_source: 'sample',
    created_at: at,
    values: [[made, index % 11 === 0 ? [b] : [a, b]] as const],
    links: [],
  }))
  await inTransaction(scope, (inside) => storeWrites(inside, registry.notes, records))
  const { field } = await updateField(scope, { entity_type: 'notes', code: 'kind' }, { remove_options: ['A'] })
  const rows = await indexed(field)
  expect(rows).toHaveLength(1100)
  expect(new Set(rows.map((row) => row.match_key))).toEqual(new Set([b]))
  const stored = await storedOf('notes', records.map((record) => record.id).slice(0, 30))
  expect([...stored.values()].every((values) => JSON.stringify(values) === JSON.stringify({ kind: [b] }))).toBe(true)
  const touched = await sql<{ count: number }>`select count(*) as count from ${storedRecords('notes')}
    where workspace_id = ${scope.workspace.id} and updated_at > ${at}`.one(scope.db)
  expect(touched?.count).toBe(1000)
})

async function storedOf(resource: 'companies' | 'notes', ids: readonly string[]) {
  const { db, workspace } = await room.enter()
  const rows = await sql<{ id: string; custom_fields: string }>`select id, custom_fields from ${storedRecords(resource)}
    where workspace_id = ${workspace.id} and id in (${sql.join(ids)})`.all(db)
  return new Map(rows.map((row) => [row.id, JSON.parse(row.custom_fields)]))
}
