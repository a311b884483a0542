import { join } from 'node:path'
import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { writeBackup } from '../../../src/backup/write-backup.ts'
import { readEntry, readHistory } from '../../../src/changes/history.ts'
import { findChange } from '../../../src/changes/undo/found-change.ts'
import { undoChange } from '../../../src/changes/undo/undo-changes.ts'
import { removeRecord } from '../../../src/records/trash/restore.ts'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import { expireDeleted, expireOldRows } from '../../../src/runtime/retention.ts'
import { archiveField, createField, deleteField } from '../../../src/schema/define.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { closeWorkspace } from '../../../src/storage/tables/expiry.ts'
import { newFolder } from '../../installation.ts'
import { newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

const DAY_MS = 86_400_000
const asked = { raw: {}, loose: false, issues: [] }

let runtime: TestRuntime
let scope: Scope

beforeAll(async () => {
  runtime = await testRuntime()
})

beforeEach(async () => {
  const { slug, owner } = await newWorkspace(runtime)
  scope = await enterAsMember(runtime, slug, owner.id)
})

afterAll(() => runtime.engine.close())

async function make(type: BuiltInName, body: object = {}): Promise<string> {
  const sent = { body: { [registry[type].label]: 'One', ...body }, asked }
  return (await createRecord(scope, registry[type], sent)).data()[0]?.id ?? ''
}

async function change(type: BuiltInName, id: string, body: object): Promise<void> {
  await updateRecord(scope, registry[type], { id, body, asked })
}

/** The latest entry of a record: what its history shows, and in full. */
async function latest(type: BuiltInName, id: string, inside = scope) {
  const { data } = await readHistory(inside, registry[type], { id, raw: { per_page: '1' } })
  const entry = data[0]
  const full = await readEntry(inside, registry[type], { record_id: id, id: entry?.id ?? '' })
  return { id: entry?.id ?? '', shown: entry?.changes ?? [], full: full.changes }
}

function stored(): Promise<number> {
  return sql`select count(*) as total from change_values where workspace_id = ${scope.workspace.id}`.count(scope.db)
}

const long = (letter: string) => letter.repeat(5000)

/** A note whose long text was overwritten. */
async function overwritten(): Promise<string> {
  const id = await make('notes', { custom_fields: { body: long('a') } })
  await change('notes', id, { custom_fields: { body: 'Short' } })
  return id
}

function pass(days: number): void {
  runtime.clock.now = new Date(runtime.clock.now.getTime() + days * DAY_MS)
}

it('an overwritten long text is kept in full, and history shows 1,000 characters', async () => {
  const id = await overwritten()
  await change('notes', id, { title: 'Two', custom_fields: { body: long('b') } })
  const { shown, full } = await latest('notes', id)
  expect(shown).toMatchObject([
    { field: 'title', before: 'One', after: 'Two', truncated: false },
    { field: 'custom_fields.body', before: 'Short', after: long('b').slice(0, 1000), truncated: true },
  ])
  expect(full).toMatchObject([
    { field: 'title', before: 'One', after: 'Two', truncated: false },
    { field: 'custom_fields.body', before: 'Short', after: long('b'), truncated: false },
  ])
  await change('notes', id, { custom_fields: { body: null } })
  expect((await latest('notes', id)).full).toMatchObject([{ before: long('b'), after: null, truncated: false }])
})

it('so is everything of a change that is too large for its entry: lists, links and external ids', async () => {
  await createField(scope, 'tasks', { name: 'Words', type: 'tags-input', max_values: 100 })
  await createField(scope, 'tasks', { name: 'Text', type: 'textarea' })
  await createField(scope, 'tasks', { name: 'More', type: 'rich-text' })
  const companies = await Promise.all(Array.from({ length: 7 }, () => make('companies')))
  const words = Array.from({ length: 90 }, (_, index) => `${index} ${'w'.repeat(240)}`)
  const ids = Array.from({ length: 90 }, (_, index) => `${index} ${'i'.repeat(240)}`)
  const id = await make('tasks')
  const before = { company_ids: companies, external_ids: { crm: ids }, custom_fields: { words } }
  await change('tasks', id, before)
  await change('tasks', id, {
    company_ids: [],
    external_ids: { crm: ids.map((one) => `x${one}`) },
    custom_fields: { words: words.map((one) => `x${one}`), text: long('t'), more: long('m') },
  })
  const { shown, full } = await latest('tasks', id)
  expect(shown.map(({ field, truncated }) => [field, truncated])).toEqual(full.map(({ field }) => [field, true]))
  const by = new Map(full.map((one) => [one.field, one]))
  expect(by.get('custom_fields.words')?.before).toEqual(words)
  expect(by.get('external_ids')?.before).toEqual({ crm: ids })
  expect(by.get('company_ids')?.before).toEqual(
    expect.arrayContaining(companies.map((one) => ({ id: one, name: 'One' }))),
  )
  expect(by.get('custom_fields.text')).toMatchObject({ before: null, after: long('t') })
  expect(full.every(({ truncated }) => !truncated)).toBe(true)
})

it('nothing is stored for changes that their entries show whole, nor for creations', async () => {
  const id = await make('notes', { custom_fields: { body: long('a') } })
  await change('notes', id, { title: 'Two', external_ids: { crm: ['1'] } })
  expect(await stored()).toBe(0)
})

it('is kept for 30 days', async () => {
  const id = await overwritten()
  pass(30)
  await expireOldRows(runtime.engine, runtime.now())
  expect((await latest('notes', id)).full).toMatchObject([{ before: long('a'), truncated: false }])
  pass(1)
  await expireOldRows(runtime.engine, runtime.now())
  expect(await stored()).toBe(0)
  expect((await latest('notes', id)).full).toMatchObject([{ truncated: true }])
})

it('is deleted with the record, the field or the workspace', async () => {
  const removed = await overwritten()
  await removeRecord(scope, registry.notes, { id: removed })
  pass(29)
  const kept = await overwritten()
  await createField(scope, 'notes', { name: 'Essay', type: 'textarea' })
  // More than one step of the deletion removes.
  for (let i = 0; i < 60; i++) await change('notes', kept, { custom_fields: { essay: `${i} ${long('e')}` } })
  expect(await stored()).toBe(62)
  // No upkeep deletes the values by their age here.
  await sql`update change_values set change_id = ${(await latest('notes', kept)).id}, field = 'custom_fields.body'
    where workspace_id = ${scope.workspace.id} and record_id = ${removed}`.run(runtime.engine.single)
  pass(2)
  await expireOldRows(runtime.engine, runtime.now())
  expect(await stored()).toBe(61)
  const essay = { entity_type: 'notes', code: 'essay' } as const
  await archiveField(scope, essay)
  expect(await stored()).toBe(61)
  await deleteField(scope, essay)
  expect(await stored()).toBe(1)
  await closeWorkspace(runtime.engine.single, scope.workspace.id, runtime.now().toISOString())
  await expireDeleted(runtime.engine, () => false)
  expect(await stored()).toBe(0)
})

it('is in a backup, and found by the id of the change after a restore', async () => {
  const id = await overwritten()
  const file = join(newFolder(), 'all.kith')
  await writeBackup(runtime.engine, file, { now: runtime.now() })
  const other = await testRuntime()
  await restoreBackup(other, file, { replace: true })
  const inside = await enterAsMember(other, scope.workspace.slug, scope.actor.user_id)
  expect((await latest('notes', id, inside)).full).toMatchObject([{ before: long('a'), after: 'Short' }])
  await other.engine.close()
})

it('is what an undo after a restore of the backup brings back; later changes are unknown then', async () => {
  const id = await overwritten()
  const kept = (await latest('notes', id)).id
  const file = join(newFolder(), 'all.kith')
  await writeBackup(runtime.engine, file, { now: runtime.now() })
  await change('notes', id, { title: 'Later' })
  const later = (await latest('notes', id)).id
  const other = await testRuntime()
  await restoreBackup(other, file, { replace: true })
  const inside = await enterAsMember(other, scope.workspace.slug, scope.actor.user_id)
  const nothing = { body: {}, expected: undefined, issues: [] }
  const { presented } = await undoChange(inside, await findChange(inside, kept), nothing)
  expect(presented?.data()[0]?.attributes.custom_fields).toMatchObject({ body: long('a') })
  expect(await refusalOf(findChange(inside, later))).toEqual([
    `not_found: No change with the ID ${later} exists in this workspace.`,
  ])
  await other.engine.close()
})

it('belongs to its record and workspace: any other is refused', async () => {
  const id = await overwritten()
  const entry = (await latest('notes', id)).id
  const other = await make('notes')
  const unknown = [`not_found: No change with the ID ${entry} exists in this workspace.`]
  expect(await refusalOf(readEntry(scope, registry.notes, { record_id: other, id: entry }))).toEqual(unknown)
  const elsewhere = await refusalOf(readEntry(scope, registry.tasks, { record_id: id, id: entry }))
  expect(elsewhere[0]).toMatch(/^not_found: No task/)
  const { slug, owner } = await newWorkspace(runtime)
  const stranger = await enterAsMember(runtime, slug, owner.id)
  const refused = await refusalOf(readEntry(stranger, registry.notes, { record_id: id, id: entry }))
  expect(refused[0]).toMatch(/^not_found: No note/)
})
