import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { perResource, type RelatedType, type ResourceName, resourceNames } from '@kith/contract/resource'
import { noteWrite } from '../audit/write.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { type NewRecord, storeNew } from '../records/store.ts'
import type { FieldValue } from '../records/stored-values.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countRows } from '../storage/tables/counts.ts'
import { type Chance, chanceFrom, seededId } from './chance.ts'
import { labelOf } from './labels.ts'
import { type Subject, sampleValue } from './values.ts'

/** The number of records to create. Resources that are not named get none. */
type SampleSizes = Readonly<Partial<Record<ResourceName, number>>>

/** Ids of earlier records, for later ones to refer to. Bounded, so that memory does not grow with the data. */
type Made = Record<ResourceName, string[]>

const BATCH = 5000
const REMEMBERED = 200_000
const SPREAD_MS = 365 * 86_400_000

type SampleOptions = { sizes: SampleSizes; seed: number; onProgress?: (done: number) => void }

/** Fills a workspace with made-up records: the same ones for the same seed and day. */
export async function loadSample(scope: Scope, options: SampleOptions): Promise<number> {
  const records = await scope.engine.loadInBulk(() => load(scope, options))
  // Otherwise the first reader of the feed numbers them all.
  await scope.engine.numberChanges(scope.workspace.id)
  return records
}

async function load(scope: Scope, { sizes, seed, onProgress }: SampleOptions): Promise<number> {
  const until = Math.floor(scope.now().getTime() / 86_400_000) * 86_400_000
  const made: Made = perResource(() => [])
  let done = 0
  for (const resource of resourceNames) {
    // The number of existing records is part of the seed, so that a second load adds other records.
    const before = await countRows(scope, resource)
    const chance = chanceFrom(`${seed} ${scope.workspace.slug} ${resource} ${before}`)
    const size = sizes[resource] ?? 0
    for (let start = 0; start < size; start += BATCH) {
      const count = Math.min(BATCH, size - start)
      await loadSome(scope, resource, { chance, made, start, count, size, before, until })
      done += count
      onProgress?.(done)
    }
  }
  await inTransaction(scope, (inside) => {
    const changes = resourceNames.flatMap((name) => (sizes[name] ? [[name, null, sizes[name]] as const] : []))
    return noteWrite(inside, [{ action: 'sample', resource: 'workspace', record_id: scope.workspace.id, changes }])
  })
  return done
}

type Batch = { chance: Chance; made: Made; start: number; count: number; size: number; before: number; until: number }

async function loadSome(scope: Scope, type: ResourceName, batch: Batch): Promise<void> {
  const fields = (await definitionsOf(scope))[type].list
  const records = Array.from({ length: batch.count }, (_, index) =>
    sampleRecord(scope, type, { fields, ...batch, index }),
  )
  await inTransaction(scope, (inside) => storeNew(inside, registry[type], records))
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
): NewRecord {
  const number = before + start + index
  // Spread over a year, in the order in which they are created.
  const at = until - SPREAD_MS + Math.floor(((start + index) / size) * SPREAD_MS)
  const label = labelOf(type, chance)
  const subject: Subject = { chance, number, ...namesFrom(label, number), now: until }
  const values = fields.flatMap((field): FieldValue[] => {
    const value = sampleValue(field, subject)
    return value === undefined ? [] : [[field, value]]
  })
  const pickOneIn =
    (none: number): Pick =>
    (to) => {
      if (to === 'users') return chance.oneIn(2) ? scope.actor.user_id : null
      return made[to].length === 0 || chance.oneIn(none) ? null : chance.pick(made[to])
    }
  const id = seededId(at, chance)
  return {
    id,
    label,
    references: referencesOf(type, pickOneIn(10)),
    creation_source: 'sample',
    created_at: new Date(at).toISOString(),
    values,
    links: linksOf(type, pickOneIn(3)),
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

/** The id of the user, or of a record that was made before. In some cases none. */
type Pick = (to: RelatedType) => string | null

function referencesOf(type: ResourceName, pick: Pick): Map<string, string | null> {
  return new Map(Object.entries(registry[type].references).map(([column, { to }]) => [column, pick(to)]))
}

function linksOf(type: ResourceName, pick: Pick): NewRecord['links'] {
  return Object.values(registry[type].links).flatMap(({ to, relation }) => {
    const to_id = pick(to)
    return to_id === null ? [] : [{ relation, to_id }]
  })
}
