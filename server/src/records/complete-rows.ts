import type { FieldSelection } from '@kith/contract/answer-options'
import type { StoredValue } from '@kith/contract/field-type'
import { type RelatedType, type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { newParts } from '../scope/large-work.ts'
import type { Scope } from '../scope/scope.ts'
import { loadCustomFields, type RelatedRows } from '../storage/query/related.ts'
import type { LightRow, RecordRow } from '../storage/tables/records.ts'
import type { Fits } from './write-records.ts'

/**
 * Loads the requested custom fields of large records in batches of a few megabytes. Omits records that were deleted
 * meanwhile.
 */
export async function completeRows(
  scope: Scope,
  type: ResourceName,
  wanted: {
    rows: readonly LightRow[]
    /** The keys of the requested fields. */
    keys: ReadonlySet<string>
    /** Called with the size so far. If it returns false, the rest is omitted. */
    fits?: Fits
  },
): Promise<RecordRow[]> {
  const { rows, keys, fits } = wanted
  const parts = new Map<string, string>()
  const nextPart = newParts()
  let bytes = 0
  for (const batch of keys.size === 0 ? [] : batchesOf(rows)) {
    const ids = batch.map(({ row }) => row.id)
    const loaded = await loadCustomFields(scope, type, ids)
    for (const { row, place } of batch) {
      const json = loaded.get(row.id)
      if (json === undefined) continue
      const part = onlyWanted(json, keys)
      bytes += Buffer.byteLength(part)
      if (fits && !fits(bytes, place)) return completed(rows.slice(0, place), parts)
      parts.set(row.id, part)
      await nextPart(json.length)
    }
  }
  return completed(rows, keys.size === 0 ? undefined : parts)
}

type PlacedRow = { row: LightRow; place: number }

const BATCH_BYTES = 4 * 1024 * 1024

/** The rows without their custom fields, in groups of a few megabytes. */
function batchesOf(rows: readonly LightRow[]): PlacedRow[][] {
  const batches: PlacedRow[][] = []
  let left = 0
  for (const [place, row] of rows.entries()) {
    if (row.custom_fields !== null) continue
    const last = batches.at(-1)
    if (last && row.custom_bytes <= left) last.push({ row, place })
    else {
      batches.push([{ row, place }])
      left = BATCH_BYTES
    }
    left -= row.custom_bytes
  }
  return batches
}

function onlyWanted(json: string, keys: ReadonlySet<string>): string {
  // Only this service writes the JSON of a record.
  const stored = JSON.parse(json) as Record<string, StoredValue>
  const unwanted = Object.keys(stored).filter((key) => !keys.has(key))
  if (unwanted.length === 0) return json
  for (const key of unwanted) delete stored[key]
  return JSON.stringify(stored)
}

function completed(rows: readonly LightRow[], parts: ReadonlyMap<string, string> | undefined): RecordRow[] {
  if (rows.every(isComplete)) return [...rows]
  return rows.flatMap((row): RecordRow[] => {
    const custom_fields = row.custom_fields ?? (parts ? parts.get(row.id) : '{}')
    return custom_fields === undefined ? [] : [{ ...row, custom_fields }]
  })
}

function isComplete(row: LightRow): row is LightRow & RecordRow {
  return row.custom_fields !== null
}

export type Presentation = { fields: FieldSelection; fits: Fits }

type CompleteRows = { records: { type: ResourceName; row: RecordRow }[]; cut: ReadonlySet<RelatedType> }

/**
 * Related records with their custom fields, as long as they fit into the response. `cut` has the types that did not
 * fit.
 */
export async function completeRelated(
  inside: Scope,
  loaded: RelatedRows['records'],
  { fields, fits }: Presentation,
): Promise<CompleteRows> {
  const records: CompleteRows['records'] = []
  const cut = new Set<RelatedType>()
  let bytes = 0
  for (const [type, parts] of loaded) {
    const keys = shownKeys(resourceIn(inside.schema, type), fields)
    const fitsToo = (more: number) => {
      if (!fits(bytes + more)) cut.add(type)
      return !cut.has(type)
    }
    for await (const rows of parts) {
      for (const row of await completeRows(inside, type, { rows, keys, fits: fitsToo })) {
        // A light row may contain slightly more than is shown.
        bytes += row.custom_fields.length
        records.push({ type, row })
      }
      if (!fitsToo(0)) break
    }
  }
  return { records, cut }
}

/** The keys of the custom fields that a response shows of a type. */
export function shownKeys(resource: Resource, fields: FieldSelection): ReadonlySet<string> {
  const chosen = fields.get(resource.type)?.custom ?? 'all'
  const shown = resource.fields.list.filter((field) => chosen === 'all' || chosen.has(field.code))
  return new Set(shown.map((field) => field.key))
}
