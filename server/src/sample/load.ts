import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { perResource, type ResourceName, resourceNames } from '@kith/contract/resource'
import { writeAudit } from '../audit/write.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { nameKey, searchTexts } from '../records/effects.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { addToCounts, countRows } from '../storage/tables/counts.ts'
import { insertValues, valueRows } from '../storage/tables/field-values.ts'
import { insertLinks, type Link } from '../storage/tables/links.ts'
import { insertRecords, type NewRecord } from '../storage/tables/records.ts'
import { type Chance, chanceFrom, seededId } from './chance.ts'
import { labelOf } from './labels.ts'
import { type Subject, sampleValue } from './values.ts'

/** The number of records to create. Resources that are not named get none. */
export type SampleSizes = Readonly<Partial<Record<ResourceName, number>>>

/** Ids of what was made before, for later records to refer to. Bounded, so that memory does not grow with the data. */
type Made = Record<ResourceName, string[]>

const RECORDS_TOGETHER = 5000
const REMEMBERED = 200_000
const SPREAD_MS = 365 * 86_400_000

/** Fills a workspace with made-up records: the same ones for the same seed and day. */
export function loadSample(
  scope: Scope,
  asked: { sizes: SampleSizes; seed: number; onProgress?: (done: number) => void },
): Promise<number> {
  return scope.engine.loadInBulk(() => load(scope, asked))
}

async function load(
  scope: Scope,
  { sizes, seed, onProgress }: { sizes: SampleSizes; seed: number; onProgress?: (done: number) => void },
): Promise<number> {
  const until = Math.floor(scope.now().getTime() / 86_400_000) * 86_400_000
  const made: Made = perResource(() => [])
  let done = 0
  for (const resource of resourceNames) {
    // What is there already takes part in the seed, so that a second load adds other records.
    const before = await countRows(scope, resource)
    const chance = chanceFrom(`${seed} ${scope.workspace.slug} ${resource} ${before}`)
    const size = sizes[resource] ?? 0
    for (let start = 0; start < size; start += RECORDS_TOGETHER) {
      const count = Math.min(RECORDS_TOGETHER, size - start)
      await loadSome(scope, resource, { chance, made, start, count, size, before, until })
      done += count
      onProgress?.(done)
    }
  }
  await inTransaction(scope, (inside) => {
    const changes = resourceNames.flatMap((name) => (sizes[name] ? [[name, null, sizes[name]] as const] : []))
    return writeAudit(inside, [{ action: 'sample', resource: 'workspace', record_id: scope.workspace.id, changes }])
  })
  return done
}

type Batch = { chance: Chance; made: Made; start: number; count: number; size: number; before: number; until: number }

type Sampled = NewRecord & { values: [FieldDefinition, StoredValue][]; links: Link[] }

async function loadSome(scope: Scope, type: ResourceName, batch: Batch): Promise<void> {
  const resource = registry[type]
  const fields = (await definitionsOf(scope))[type].list
  const records = Array.from({ length: batch.count }, (_, index) =>
    sampleRecord(scope, type, { fields, ...batch, index }),
  )
  const workspaceId = scope.workspace.id
  await inTransaction(scope, async (inside) => {
    await insertRecords(inside, resource, records)
    await insertValues(
      inside,
      records.flatMap((record) => valueRows(workspaceId, record)),
    )
    const texts = records.flatMap((record) => searchTexts(resource, record))
    await inside.engine.search.put(inside.db, { workspaceId, table: type }, texts)
    await insertLinks(
      inside,
      type,
      records.flatMap((record) => record.links),
    )
    await addToCounts(inside, type, records.length)
  })
  const ids = batch.made[type]
  for (const { id } of records) {
    if (ids.length < REMEMBERED) ids.push(id)
    else ids[batch.chance.below(REMEMBERED)] = id
  }
}

type Place = Batch & { fields: readonly FieldDefinition[]; index: number }

function sampleRecord(
  scope: Scope,
  type: ResourceName,
  { fields, index, chance, made, start, size, before, until }: Place,
): Sampled {
  const number = before + start + index
  // In the order of time, as records come into being, one step behind the other.
  const at = until - SPREAD_MS + Math.floor(((start + index) / size) * SPREAD_MS)
  const label = labelOf(type, chance)
  const subject: Subject = { chance, number, ...namesFrom(label, number), now: until }
  const values: [FieldDefinition, StoredValue][] = []
  const stored: Record<string, StoredValue> = {}
  for (const field of fields) {
    const value = sampleValue(field, subject)
    if (value === undefined) continue
    values.push([field, value])
    stored[field.key] = value
  }
  const moment = new Date(at).toISOString()
  const id = seededId(at, chance)
  return {
    id,
    label,
    name_key: nameKey(label),
    references: referencesOf(scope, type, { made, chance }),
    creator_id: scope.actor.user_id,
    creation_source: 'sample',
    created_at: moment,
    updated_at: moment,
    custom_fields: JSON.stringify(stored),
    values,
    links: linksFrom(scope, type, { from_id: id, made, chance }),
  }
}

function namesFrom(label: string, number: number): { handle: string; domain: string } {
  const letters = label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
  const [first = 'kith', second = 'sample'] = letters.split(' ')
  return { handle: `${first}.${second}`, domain: `${first}-${second}-${number}.example` }
}

type Choice = { made: Made; chance: Chance }

function referencesOf(scope: Scope, type: ResourceName, { made, chance }: Choice): Map<string, string | null> {
  const references = new Map<string, string | null>()
  for (const [column, { to }] of Object.entries(registry[type].references)) {
    if (to === 'users') references.set(column, chance.oneIn(2) ? scope.actor.user_id : null)
    else references.set(column, made[to].length === 0 || chance.oneIn(10) ? null : chance.pick(made[to]))
  }
  return references
}

function linksFrom(scope: Scope, type: ResourceName, { from_id, made, chance }: Choice & { from_id: string }): Link[] {
  const links: Link[] = []
  for (const { to, relation } of Object.values(registry[type].links)) {
    if (to === 'users') {
      if (chance.oneIn(2)) links.push({ from_id, relation, to_id: scope.actor.user_id })
    } else if (made[to].length > 0 && !chance.oneIn(3)) {
      links.push({ from_id, relation, to_id: chance.pick(made[to]) })
    }
  }
  return links
}
