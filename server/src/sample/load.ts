import type { FieldDefinition } from '@kith/contract/field-definition'
import { DAY_MS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { perResource, type ResourceName, resourceNames } from '@kith/contract/resource'
import { noteWrite } from '../audit/write.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { requirePermission } from '../records/allow.ts'
import { type NewRecord, storeWrites } from '../records/store.ts'
import type { FieldValue } from '../records/stored-values.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countRows, loadLiveCounts } from '../storage/tables/counts.ts'
import { calendarUntil } from './calendar.ts'
import { type Chance, chanceFrom, hashOf, seededId } from './chance.ts'
import { makerOf } from './drafts.ts'
import type { Draft, Made } from './made.ts'
import { sampleValue } from './values.ts'

/** The number of records to create. Resources that are not named get none. */
type SampleSizes = Readonly<Partial<Record<ResourceName, number>>>

const BATCH = 5000
/** How many records of a resource later ones refer to, so that memory does not grow with the data. */
const REMEMBERED = 200_000

type SampleOptions = { sizes: SampleSizes; seed: number }

/** Fills a workspace with made-up records: the same ones for the same seed and day. */
export async function loadSample(scope: Scope, options: SampleOptions): Promise<number> {
  const records = await scope.engine.loadInBulk(() => load(scope, options))
  // Otherwise the first reader of the feed numbers them all.
  await scope.engine.numberChanges(scope.workspace.id)
  return records
}

async function load(scope: Scope, { sizes, seed }: SampleOptions): Promise<number> {
  const calendar = calendarUntil(Math.floor(scope.now().getTime() / DAY_MS) * DAY_MS)
  const made: Made = { calendar, user_id: scope.actor.user_id, companies: [], people: [], deals: [] }
  let done = 0
  for (const resource of resourceNames) {
    // The number of existing records is part of the seed, so that a second load adds other records.
    const before = await countRows(scope, resource)
    const chance = chanceFrom(`${seed} ${scope.workspace.slug} ${resource} ${before}`)
    const nameSeed = hashOf(`${seed} ${scope.workspace.slug}`)
    const size = sizes[resource] ?? 0
    for (let start = 0; start < size; start += BATCH) {
      const count = Math.min(BATCH, size - start)
      await loadSome(scope, resource, { made, chance, seed: nameSeed, start, count, size, before })
      done += count
    }
  }
  await inTransaction(scope, (inside) => {
    const changes = resourceNames.flatMap((name) => (sizes[name] ? [[name, null, sizes[name]] as const] : []))
    return noteWrite(inside, [{ action: 'sample', resource: 'workspace', record_id: scope.workspace.id, changes }])
  })
  return done
}

type Batch = {
  made: Made
  chance: Chance
  seed: number
  start: number
  count: number
  size: number
  before: number
}

async function loadSome(scope: Scope, type: ResourceName, batch: Batch): Promise<void> {
  const fields = (await definitionsOf(scope))[type].list
  const make = recordMaker(type, fields, batch)
  const records = Array.from({ length: batch.count }, (_, index) => make(batch.start + index))
  await inTransaction(scope, (inside) => storeWrites(inside, registry[type], records))
}

/** Makes the record of an index. */
function recordMaker(
  type: ResourceName,
  fields: readonly FieldDefinition[],
  { made, chance, seed, size, before }: Batch,
): (index: number) => NewRecord {
  const maker = makerOf(type)
  const step = Math.ceil(size / REMEMBERED)
  return (index) => {
    const at = made.calendar.at(maker.pace(index / size))
    const number = before + index
    const id = seededId(at, chance)
    const isRemembered = index % step === 0
    const draft = maker.draft({ made, chance, id, at, number, seed, isRemembered, isLater: before > 0 })
    const values = fields.flatMap((field): FieldValue[] => {
      const value = sampleValue(field, draft, { chance, number, today: made.calendar.today })
      return value === undefined ? [] : [[field, value]]
    })
    return {
      id,
      label: draft.label,
      references: referencesOf(type, draft),
      creation_source: 'sample',
      created_at: new Date(at).toISOString(),
      updated_at: new Date(draft.updated).toISOString(),
      values,
      links: linksOf(type, draft),
    }
  }
}

function referencesOf(type: ResourceName, { related }: Draft): Map<string, string | null> {
  return new Map(Object.keys(registry[type].references).map((column) => [column, related[column]?.[0] ?? null]))
}

function linksOf(type: ResourceName, { related }: Draft): NewRecord['links'] {
  return Object.entries(registry[type].links).flatMap(([name, { relation }]) =>
    (related[name] ?? []).map((to_id) => ({ relation, to_id })),
  )
}

/** A few records of everything, and most of those that screens show most. */
const SIZES = { ...perResource(() => 40), people: 90, opportunities: 50, notes: 30 }

/** Fills a workspace that has no records yet. */
export async function loadFirstSample(scope: Scope): Promise<{ records: number }> {
  requirePermission(scope, 'manage_workspace')
  const counts = await loadLiveCounts(scope)
  if (Object.values(counts).some((live) => live > 0)) {
    const message = 'Sample data is for empty workspaces only, and this one has records.'
    refuse({ kind: 'invalid', issues: [{ path: 'workspace', message }] })
  }
  return { records: await loadSample(scope, { sizes: SIZES, seed: 1 }) }
}
