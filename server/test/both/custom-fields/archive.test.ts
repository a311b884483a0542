import { registry } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { removeRecord, restoreRecord } from '../../../src/records/trash/restore.ts'
import { archiveField, createField, deleteField, restoreField, updateField } from '../../../src/schema/define.ts'
import { listFields } from '../../../src/schema/managed.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { fieldNumber, storedValues } from '../../stored-rows.ts'
import { issuesOf, make, openRoom, type Room, read, refusalOf } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

async function placesOf(resource: 'companies' | 'people') {
  return resourceIn((await room.enter()).schema, resource).fields.list.map((field) => `${field.position} ${field.code}`)
}

async function rowsOf(fieldId: string) {
  const { db, workspace } = await room.enter()
  const rows = await sql<{ record_id: string }>`select record_id from ${storedValues}
    where workspace_id = ${workspace.id} and field_id = ${fieldId} order by record_id`.all(db)
  return rows.map((row) => row.record_id)
}

/** The records in whose text of the field the search index finds a part. */
async function found(fieldId: string, part: string) {
  const { engine, workspace } = await room.enter()
  const containing = engine.search.containing(workspace.number, await fieldNumber(engine, fieldId), [part])
  return (await sql<string>`select id from records where number in (${containing})`.column(engine.db)).sort()
}

test('an archived field is out of sight, keeps its values and comes back to its place', async () => {
  const address = { entity_type: 'people', code: 'job_title' } as const
  const id = await make(await room.enter(), 'people', { job_title: 'Chief of all things' })
  const archived = await archiveField(await room.enter(), address)
  expect(archived.archived_at).not.toBeNull()
  expect(await placesOf('people')).toEqual(['1 emails', '2 phone_number', '3 linkedin'])
  expect((await read(await room.enter(), 'people', id)).custom_fields).not.toHaveProperty('job_title')
  expect((await listFields(await room.enter(), 'people')).map((field) => field.code).at(-1)).toBe('job_title')
  expect(await archiveField(await room.enter(), address)).toEqual(archived)
  expect(Object.keys(await issuesOf(updateField(await room.enter(), address, { name: 'x' })))).toEqual(['code'])

  const restored = await restoreField(await room.enter(), address)
  expect(restored).toMatchObject({ id: archived.id, position: 3, archived_at: null })
  expect(await placesOf('people')).toEqual(['1 emails', '2 phone_number', '3 job_title', '4 linkedin'])
  expect((await read(await room.enter(), 'people', id)).custom_fields.job_title).toBe('Chief of all things')
  expect(await restoreField(await room.enter(), address)).toEqual(restored)
})

test('a restored field has its whole index, whatever happened to records meanwhile', async () => {
  const made = await createField(await room.enter(), 'companies', { name: 'Motto_x', type: 'text' })
  const address = { entity_type: 'companies', code: 'motto_x' } as const
  const scope = await room.enter()
  const kept = await make(scope, 'companies', { motto_x: 'Ad astra' })
  const gone = await make(scope, 'companies', { motto_x: 'Ad acta' })
  const back = await make(scope, 'companies', { motto_x: 'Ad absurdum' })
  const empty = await make(scope, 'companies', {})
  const loser = await make(scope, 'companies', { motto_x: 'Ad arbitrium' })
  expect(await found(made.id, 'ad a')).toEqual([kept, gone, back, loser].sort())
  await archiveField(scope, address)
  const later = await room.enter()
  await removeRecord(later, registry.companies, { id: gone })
  await removeRecord(later, registry.companies, { id: back })
  await restoreRecord(later, registry.companies, { id: back })
  await mergeRecords(later, registry.companies, { winner_id: empty, loser_ids: [loser] })
  await restoreField(await room.enter(), address)
  expect(await rowsOf(made.id)).toEqual([kept, back, empty].sort())
  expect(await found(made.id, 'ad a')).toEqual([kept, back, empty].sort())
  expect(await found(made.id, 'as')).toEqual([kept])
})

test('an active or system field cannot be deleted, a system field not archived', async () => {
  const system = { entity_type: 'companies', code: 'domains' } as const
  expect(await issuesOf(archiveField(await room.enter(), system))).toEqual({
    code: 'Domains is a system field. It can be renamed and moved, but not archived.',
  })
  expect(Object.keys(await issuesOf(deleteField(await room.enter(), system)))).toEqual(['code'])
  expect(await issuesOf(deleteField(await room.enter(), { entity_type: 'companies', code: 'icp' }))).toEqual({
    code: 'The field icp must be archived before it can be deleted.',
  })
})

test('a deleted field is gone with its index, and its name and code are free', async () => {
  const made = await createField(await room.enter(), 'companies', { name: 'Slogan', type: 'textarea' })
  const address = { entity_type: 'companies', code: 'slogan' } as const
  const id = await make(await room.enter(), 'companies', { slogan: 'Think twice' })
  expect(await found(made.id, 'twice')).toEqual([id])
  await archiveField(await room.enter(), address)
  await deleteField(await room.enter(), address)
  expect(await rowsOf(made.id)).toEqual([])
  expect(await found(made.id, 'twice')).toEqual([])
  expect((await refusalOf(restoreField(await room.enter(), address))).reason.kind).toBe('not_found')
  const again = await createField(await room.enter(), 'companies', { name: 'SLOGAN', type: 'textarea' })
  expect(again).toMatchObject({ code: 'slogan', key: 'slogan~2' })
  expect((await read(await room.enter(), 'companies', id)).custom_fields.slogan).toBeNull()
})

test('members may neither archive, restore nor delete', async () => {
  const scope = await room.enter()
  const member = { ...scope, actor: { ...scope.actor, role: 'member' as const } }
  const address = { entity_type: 'companies', code: 'icp' } as const
  for (const change of [archiveField, restoreField, deleteField]) {
    expect((await refusalOf(change(member, address))).reason.kind).toBe('forbidden')
  }
  expect((await refusalOf(updateField(member, address, {}))).reason.kind).toBe('forbidden')
})
