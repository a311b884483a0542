import { fieldTypes } from '@kith/contract/field-types'
import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, perResource, type RelatedType, resourceNames } from '@kith/contract/resource'
import { expect } from 'vitest'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { listMerges } from '../../src/records/merge/merges.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../src/records/trash/restore.ts'
import { listTrash } from '../../src/records/trash/trash.ts'
import { type Chance, chanceFrom } from '../../src/sample/chance.ts'
import { archiveField, deleteField, restoreField } from '../../src/schema/define.ts'
import { listFields } from '../../src/schema/managed.ts'
import type { Answered } from '../api.ts'
import {
  definitionOf,
  kindOf,
  type OwnKind,
  takenValues,
  type ValueTypeName,
  valueTypeNames,
} from '../field-samples.ts'
import type { TestWorkspace } from '../workspace.ts'

type Fields = Awaited<ReturnType<typeof listFields>>

/** Values of every kind, few enough that records come to share them. Choices are drawn from the options. */
const pools: Readonly<Partial<Record<OwnKind, readonly unknown[]>>> = {
  Text: ['Alpha', 'ALPHA', 'Größe', '  spaced ', '👩‍👧', 'x'.repeat(255), null],
  LongText: ['One\ntwo', 'ONE two', `${'long '.repeat(300)}end`, '# Alpha', '**Größe** 100%', null],
  Number: [0, 1, 0.1, 0.2, 1.5, 19.99, -7, 2 ** 53, null],
  Date: ['2026-11-14', '2024-02-29', null],
  DateTime: ['2026-11-14T09:30:00+01:00', '2026-11-14', null],
  Boolean: [true, false, null],
  Tags: [['VIP', 'vip', 'Gold'], ['gold'], [], null],
  Emails: [['Ada@x.example'], ['ada@X.example', 'b@y.example'], [], null],
  Phones: [['+1 415 555 0100', '+14155550100;ext=7'], ['+14155550101'], null],
  Links: [['https://X.example/A/', 'y.example'], ['x.example/a'], null],
  Domains: [['www.x.example', 'bücher.example'], ['z.example'], null],
}

/**
 * Writes at random, the same for the same seed, by every way in which the index changes. Refusals are welcome, failures
 * are not.
 */
export async function writeAtRandom(workspace: TestWorkspace, seed: string, steps: number): Promise<void> {
  const chance = chanceFrom(seed)
  const records: Records = perResource(() => [])
  for (const type of valueTypeNames) {
    await workspace.field('companies', { name: type, type, ...definitionOf(type, ['A', 'B', 'C', 'D']) })
  }
  await workspace.field('people', { name: 'Kinds', type: 'checkbox-list', options: ['A', 'B', 'C', 'D'] })
  for (let step = 0; step < steps; step++) {
    const fields = await listFields(await workspace.scope())
    if (chance.oneIn(6)) await changeAField(workspace, chance, fields)
    else if (chance.oneIn(5)) await takeBackOrMerge(workspace, chance, records)
    else await writeARecord(workspace, chance, fields, records)
  }
}

type Records = Record<BuiltInName, string[]>

/** Restores what is in the trash, makes two or three records one, or parts them again. */
async function takeBackOrMerge(workspace: TestWorkspace, chance: Chance, records: Records): Promise<void> {
  const scope = await workspace.scope()
  const resource = chance.oneIn(2) ? 'companies' : chance.pick(resourceNames)
  const ids = records[resource]
  const way = chance.below(4)
  if (way < 2) {
    const { data } = await listTrash(scope, { resource, per_page: 100 })
    if (data.length > 0) await allowed(restoreRecord(scope, registry[resource], { id: chance.pick(data).id }))
  } else if (way === 2 && ids.length > 2) {
    const [winner_id, ...loser_ids] = [...ids].sort(() => (chance.oneIn(2) ? 1 : -1)).slice(0, 2 + chance.below(2))
    await allowed(mergeRecords(scope, registry[resource], { winner_id, loser_ids }))
  } else {
    const undoable = (await listMerges(scope, { per_page: 100 })).data.filter((merge) => merge.undone_at === null)
    if (undoable.length > 0) await allowed(undoMerge(scope, chance.pick(undoable).id))
  }
  // Which records are there now, the service tells best.
  for (const type of resourceNames) {
    const { body } = await workspace.api.get(`/${type}?per_page=100&sort=created_at`)
    records[type] = body.data.map((record: { id: string }) => record.id)
  }
}

async function allowed(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Refusal)) throw error
  })
}

async function writeARecord({ api }: TestWorkspace, chance: Chance, fields: Fields, records: Records): Promise<void> {
  const resource = chance.oneIn(2) ? 'companies' : chance.pick(resourceNames)
  const body = {
    [registry[resource].label]: chance.pick(['Acme', 'ÉCLAIR', 'straße 😀']),
    ...someRelated(chance, resource, records),
    ...someIds(chance),
    custom_fields: someValues(chance, fields, resource),
  }
  const ids = records[resource]
  const way = chance.below(10)
  if (ids.length > 0 && way < 4) await written(api.put(`/${resource}/${chance.pick(ids)}`, body))
  else if (ids.length > 0 && way < 5) {
    const [id] = ids.splice(chance.below(ids.length), 1)
    await written(api.delete(`/${resource}/${id}`))
  } else if (way < 8 && (resource === 'companies' || resource === 'people')) {
    const external = { field: 'external_ids.crm', value: `c${chance.below(20)}` }
    const own =
      resource === 'companies' ? { field: 'domains', value: 'x.example' } : { field: 'emails', value: 'ada@x.example' }
    const match = chance.oneIn(3) ? external : own
    keep(ids, await written(api.post(`/${resource}/upsert`, { match, ...body })))
  } else keep(ids, await written(api.post(`/${resource}`, body)))
}

function someRelated(chance: Chance, resource: BuiltInName, records: Records): Record<string, unknown> {
  const { references, links } = registry[resource]
  const related: Record<string, unknown> = {}
  const pick = (to: RelatedType) => {
    const ids = Object.entries(records).flatMap(([name, ids]) => (name === to ? ids : []))
    return ids.length === 0 ? [] : [chance.pick(ids)]
  }
  for (const [key, { to }] of Object.entries(references)) if (chance.oneIn(2)) related[key] = pick(to)[0] ?? null
  for (const [key, { to }] of Object.entries(links)) if (chance.oneIn(2)) related[key] = [...pick(to), ...pick(to)]
  return related
}

function someIds(chance: Chance): object {
  const id = () => `c${chance.below(20)}`
  if (chance.oneIn(2)) return {}
  return { external_ids: chance.pick([null, { crm: [] }, { crm: [id(), id()] }, { crm: id() }, { erp: id() }]) }
}

function poolOf(type: ValueTypeName): readonly unknown[] {
  return takenValues(type) ?? pools[kindOf(type)] ?? [null]
}

function someValues(chance: Chance, fields: Fields, resource: BuiltInName): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.entity_type !== resource || field.archived_at !== null || chance.oneIn(2)) continue
    const labels = field.options.map((option) => option.label)
    if (fieldTypes[field.type].refersTo) continue
    if (field.options.length === 0) values[field.code] = chance.pick(poolOf(field.type as ValueTypeName))
    else if (!fieldTypes[field.type].list) values[field.code] = chance.oneIn(5) ? null : chance.pick(labels)
    else values[field.code] = labels.filter(() => chance.oneIn(2)).reverse()
  }
  return values
}

function keep(ids: string[], { body }: Answered): void {
  if (body.data && !ids.includes(body.data.id)) ids.push(body.data.id)
}

async function written(answer: Promise<Answered>): Promise<Answered> {
  const { status, text } = await answer
  expect([200, 201, 204, 409, 422], text).toContain(status)
  return answer
}

async function changeAField(workspace: TestWorkspace, chance: Chance, fields: Fields): Promise<void> {
  const scope = await workspace.scope()
  const field = chance.pick(fields)
  const address = { entity_type: field.entity_type, code: field.code }
  if (field.archived_at !== null) {
    if (!chance.oneIn(4)) await restoreField(scope, address)
    else {
      await deleteField(scope, address)
      const { name, code, type, multiple, options } = field
      const labels = options.map((option) => option.label)
      await workspace.field(field.entity_type, { name, code, type, multiple, options: labels })
    }
  } else if (field.options.length > 1)
    await workspace.updateField(field.entity_type, field.code, optionChange(chance, field.options))
  else if (!field.system) await archiveField(scope, address)
}

function optionChange(chance: Chance, options: Fields[number]['options']): object {
  const { label } = chance.pick(options)
  switch (chance.below(4)) {
    case 0:
      return { rename_options: [{ from: label, to: `${label}'` }] }
    case 1:
      return { options: [...options].reverse() }
    case 2:
      return { remove_options: [label], add_options: [`New ${chance.below(1_000_000)}`] }
    default:
      return { remove_options: [label] }
  }
}
