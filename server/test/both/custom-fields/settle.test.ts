import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { openScope } from '../../../src/fields/definitions.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { reindexWorkspace } from '../../../src/records/reindex.ts'
import { archiveField, deleteField, restoreField, updateField } from '../../../src/schema/define.ts'
import { removeOption } from '../../../src/schema/one-option.ts'
import { archiveResource } from '../../../src/schema/own-resources.ts'
import { findAbandonedFields, settleFields } from '../../../src/schema/settle.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { findUnsettled } from '../../../src/storage/tables/custom-fields.ts'
import { BATCH, countOptionHolders } from '../../../src/storage/tables/field-values.ts'
import { derived } from '../../derived/derived-state.ts'
import { madeResource } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { fieldNumber, storedValues } from '../../stored-rows.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { issuesOf } from './room.ts'

const RECORDS = 2 * BATCH + 50

const motto = { entity_type: 'people', code: 'motto' } as const
const level = { entity_type: 'people', code: 'level' } as const

type Held = Awaited<ReturnType<typeof withRecords>>

/** Many people with a motto and a level, A or B. */
async function withRecords(records = RECORDS) {
  const workspace = await newWorkspace()
  const text = await workspace.field('people', { name: 'Motto', type: 'text' })
  const choice = await workspace.field('people', { name: 'Level', type: 'select', options: ['A', 'B', 'C'] })
  const [a = { id: '', label: '' }] = choice.options
  const operations = Array.from({ length: records }, (_, index) => {
    const custom_fields = { motto: 'Ad astra', level: index % 10 === 0 ? 'B' : 'A' }
    return { op: 'create', resource: 'people', data: { name: `Person ${index}`, custom_fields } }
  })
  for (let first = 0; first < records; first += 500) {
    const { status } = await workspace.api.post('/batch', { operations: operations.slice(first, first + 500) })
    expect(status).toBe(200)
  }
  return { workspace, motto: text.id, level: choice.id, a, holders: records - Math.ceil(records / 10) }
}

/** The scope of the owner, with something that happens after each transaction. */
async function watching(workspace: TestWorkspace, after: () => Promise<void>): Promise<Scope> {
  const scope = await workspace.scope()
  const { engine } = scope
  const transaction: typeof engine.transaction = async (work) => {
    const result = await engine.transaction(work)
    await after()
    return result
  }
  return { ...scope, engine: { ...engine, transaction } }
}

/** Lets a change commit so many transactions before its process is gone. */
async function interrupted(workspace: TestWorkspace, commits: number, change: (scope: Scope) => Promise<unknown>) {
  const scope = await watching(workspace, async () => {
    if (--commits === 0) throw new Error('The process is gone.')
  })
  await expect(change(scope)).rejects.toThrow('The process is gone.')
}

/** What another node does when it notices that a process is gone. */
async function takeOver({ runtime }: TestWorkspace): Promise<void> {
  const abandoned = await findAbandonedFields(runtime.engine, runtime.now())
  for (const facts of abandoned) await settleFields(await openScope(runtime, facts))
}

/** How many records search finds by the motto. */
async function countFound({ api }: TestWorkspace): Promise<number> {
  return (await api.get('/people?filter[$search]=astra')).body.meta.total
}

/** How many entries the index has of a field. */
async function countValues({ id, runtime }: TestWorkspace, fieldId: string): Promise<number> {
  return sql`select count(*) as n from ${storedValues} where workspace_id = ${id} and field_id = ${fieldId}`.count(
    runtime.engine.db,
  )
}

async function countHolders(workspace: TestWorkspace, fieldId: string, optionId: string): Promise<number> {
  const scope = await workspace.scope()
  return countOptionHolders(scope, await fieldNumber(scope.engine, fieldId), optionId)
}

async function query({ api }: TestWorkspace, condition: object): Promise<number> {
  return (await api.post('/people/query', { filter: { custom_fields: condition } })).body.meta.total
}

/** How many of the listed records read as empty, and as each level. */
async function levelsRead({ api }: TestWorkspace, sort: string): Promise<Record<string, number>> {
  const levels: Record<string, number> = {}
  for (let page = 1; ; page++) {
    const { body } = await api.get(`/people?sort=${sort}&per_page=100&page=${page}`)
    for (const { attributes } of body.data) {
      const label = attributes.custom_fields.level?.label ?? 'none'
      levels[label] = (levels[label] ?? 0) + 1
    }
    if (body.data.length < 100) return levels
  }
}

/** A rebuild of the index changes nothing. */
async function expectRightIndex(workspace: TestWorkspace): Promise<void> {
  const before = await derived(workspace)
  await reindexWorkspace(await workspace.scope())
  expect(await derived(workspace)).toEqual(before)
}

describe('A change of a field is a short transaction, and the records follow in steps', () => {
  const changes: readonly [string, (held: Held, scope: Scope) => Promise<unknown>, (held: Held) => Promise<number>][] =
    [
      ['archiving', (_, scope) => archiveField(scope, motto), ({ workspace }) => countFound(workspace)],
      ['restoring', (_, scope) => restoreField(scope, motto), ({ workspace }) => countFound(workspace)],
      [
        'removing an option',
        ({ a }, scope) => removeOption(scope, { ...level, option_id: a.id }),
        ({ workspace, level: field, a }) => countHolders(workspace, field, a.id),
      ],
      ['archiving again', (_, scope) => archiveField(scope, motto), ({ workspace }) => countFound(workspace)],
      [
        'deleting',
        (_, scope) => deleteField(scope, motto),
        ({ workspace, motto: field }) => countValues(workspace, field),
      ],
    ]

  it('each writes few records, and others can write in between', async () => {
    const held = await withRecords()
    const neighbour = await newWorkspace()
    for (const [name, change, count] of changes) {
      const counts = [await count(held)]
      const scope = await watching(held.workspace, async () => {
        // A service in another process completes it before the next step begins.
        expect((await neighbour.api.post('/companies', { name: 'Acme' })).status).toBe(201)
        counts.push(await count(held))
      })
      await change(held, scope)
      const steps = counts.slice(1).map((after, index) => Math.abs(after - (counts[index] ?? 0)))
      expect(Math.max(...steps), name).toBeLessThanOrEqual(BATCH)
      expect(Math.max(...steps), name).toBeGreaterThan(0)
      expect(await count(held), name).toBe(name === 'restoring' ? RECORDS : 0)
    }
    await expectRightIndex(held.workspace)
  })

  it('archiving and restoring leave the index over the values as it is: filters are right at once', async () => {
    const { workspace, motto: field } = await withRecords(60)
    await interrupted(workspace, 1, (scope) => archiveField(scope, motto))
    expect(await countValues(workspace, field)).toBe(60)
    await interrupted(workspace, 1, (scope) => restoreField(scope, motto))
    expect(await query(workspace, { motto: { $eq: 'Ad astra' } })).toBe(60)
    expect(await query(workspace, { motto: { $contains: 'astra' } })).toBe(60)
    expect(await query(workspace, { motto: { $is_empty: true } })).toBe(0)
    expect((await issuesOf(updateField(await workspace.scope(), motto, { name: '' }))).name).toBeDefined()
    await takeOver(workspace)
    expect(await countFound(workspace)).toBe(60)
  })
})

describe('A process that ends in the middle leaves work to another', () => {
  it('removing an option: what is read, filtered and sorted agrees all the time, and the option cannot be written', async () => {
    const { workspace, a, holders, level: field } = await withRecords()
    const { api } = workspace
    const deleted = await api.post('/people', { name: 'Deleted', custom_fields: { level: 'A' } })
    await api.delete(`/people/${deleted.body.data.id}`)
    const { body: position } = await api.get('/changes?cursor=now')
    await interrupted(workspace, 2, (scope) => removeOption(scope, { ...level, option_id: a.id }))

    const left = holders - BATCH
    expect(await countHolders(workspace, field, a.id)).toBe(left)
    const expected = { A: left, B: RECORDS - holders, none: BATCH }
    for (const sort of ['level', '-level', 'level,name'])
      expect(await levelsRead(workspace, sort), sort).toEqual(expected)
    expect(await query(workspace, { level: { $is_empty: true } })).toBe(BATCH)
    expect(await query(workspace, { level: { $eq: 'B' } })).toBe(RECORDS - holders)
    const filter = { custom_fields: { level: { $eq: 'A' } } }
    expect((await api.post('/people/query', { filter })).status).toBe(422)
    expect((await api.post('/people', { name: 'New', custom_fields: { level: a.id } })).status).toBe(422)
    expect((await api.delete(`/schema/people/fields/level/options/${a.id}`)).status).toBe(404)
    const restored = await api.put(`/people/${deleted.body.data.id}/restore`)
    expect(restored.body.data.attributes.custom_fields.level).toBeNull()
    // A merge may give it to a record that has been cleared.
    const cleared = (
      await api.get('/people?sort=-level,created_at&per_page=1&filter[custom_fields][level][$is_empty]=true')
    ).body.data[0].id
    const holder = (await api.get('/people?filter[custom_fields][level][$is_empty]=false&sort=-level&per_page=1')).body
      .data[0].id
    const merging = { winner_id: cleared, loser_ids: [holder] }
    await mergeRecords(await workspace.scope(), registry.people, merging)

    await takeOver(workspace)
    expect(await levelsRead(workspace, 'level')).toEqual({ B: RECORDS - holders, none: holders })
    const entries = await feed(workspace, position.meta.next_cursor)
    const own = entries.filter(({ changed }) => changed.includes('custom_fields.level'))
    expect(new Set(own.map(({ origin }) => origin.source))).toEqual(new Set(['cli']))
    const times = Map.groupBy(own, ({ record_id }) => record_id)
    expect([...times].filter(([id]) => id !== cleared).every(([, some]) => some.length === 1)).toBe(true)
    expect(times.size).toBe(holders - 1)
    await expectRightIndex(workspace)
  })

  it('archiving, restoring, archiving and deleting one after the other', async () => {
    const { workspace, motto: field } = await withRecords()
    await interrupted(workspace, 2, (scope) => archiveField(scope, motto))
    expect(await countFound(workspace)).toBe(RECORDS - BATCH)
    await interrupted(workspace, 3, (scope) => restoreField(scope, motto))
    await updateField(await workspace.scope(), motto, { name: 'Saying' })
    expect(await countFound(workspace)).toBe(RECORDS)
    await expectRightIndex(workspace)
    await interrupted(workspace, 2, (scope) => archiveField(scope, motto))
    await interrupted(workspace, 2, (scope) => deleteField(scope, motto))
    await takeOver(workspace)
    expect([await countFound(workspace), await countValues(workspace, field)]).toEqual([0, 0])
    await expectRightIndex(workspace)
  })
})

type Entry = { record_id: string; changed: string[]; origin: { source: string } }

async function feed({ api }: TestWorkspace, cursor: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let at = cursor, more = true; more; ) {
    const { body } = await api.get(`/people/changes?limit=1000&payload=thin&cursor=${encodeURIComponent(at)}`)
    entries.push(...body.data.map((entry: { attributes: Entry }) => entry.attributes))
    at = body.meta.next_cursor
    more = body.meta.has_more
  }
  return entries
}

it('the records follow, too, if their resource is archived meanwhile', async () => {
  const workspace = await newWorkspace()
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  await workspace.field('projects', { name: 'Motto', type: 'text' })
  await made(workspace.api, 'projects', { custom_fields: { motto: 'Ad astra' } })
  await interrupted(workspace, 1, (scope) => archiveField(scope, { entity_type: 'projects', code: 'motto' }))
  await interrupted(workspace, 1, (scope) => archiveResource(scope, { code: 'projects' }))
  expect(await findUnsettled(await workspace.scope())).toHaveLength(1)
  await takeOver(workspace)
  expect(await findUnsettled(await workspace.scope())).toEqual([])
})
