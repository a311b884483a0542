import { type ExportFormat, type ExportQuery, parseExport } from '@kith/contract/export-query'
import type { Definitions } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { writeFeedCursor } from '../changes/cursor.ts'
import { presentSync } from '../changes/sync-form.ts'
import { definitionsAt, definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { explainingSlow } from '../records/explain-slow.ts'
import type { ResourceObject } from '../records/present.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadIdPage } from '../storage/query/id-pages.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadFieldsVersion } from '../storage/tables/fields-version.ts'
import type { LightRow } from '../storage/tables/records.ts'
import { type CsvColumns, columnsFor, headerOf, lineOf } from './csv.ts'

/** How far an export has come. Plain data: each part may be read by another thread. */
export type ExportPlace = {
  after: string
  /** The records so far. */
  count: number
  /** The place in the changes feed before the first part. */
  changes_cursor: string
  /** The columns of a CSV file, as they were when it began. */
  columns: CsvColumns | null
}

type ExportPart = {
  format: ExportFormat
  text: string
  place: ExportPlace
  /** Whether there is more. */
  more: boolean
}

const PART_RECORDS = 1000
const PART_BYTES = 2 * 1024 * 1024

/** One part of an export: the records after a place, or the first ones. The caller continues while there is more. */
export async function exportRecords(
  scope: Scope,
  resource: Resource,
  { asked, place }: { asked: Asked; place: ExportPlace | undefined },
): Promise<ExportPart> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = [...asked.issues]
  const context = { resource, definitions: await definitionsOf(scope), loose: asked.loose }
  const query = parseExport(asked.raw, context, reportInto(issues))
  refuseIfAny(issues)
  // What is committed gets its number first, so that the cursor is not before changes that the export shows.
  if (!place) await scope.engine.numberChanges(scope.workspace.id)
  return explainingSlow(scope, { resource, filter: query.filter, sort: [], total: false }, () =>
    inSnapshot(scope, async (inside) => {
      // Those of the snapshot: a record may have a value of a field or an option that is newer than this request.
      const definitions = await definitionsAt(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
      const begun = place ?? (await begin(inside, resource, { query, definitions }))
      const head = place || !begun.columns ? '' : headerOf(begun.columns)
      const part = await readPart(inside, resource, { query, definitions, place: begun })
      return { ...part, text: head + part.text, format: query.format }
    }),
  )
}

type Asking = { query: ExportQuery; definitions: Definitions }

async function begin(inside: Scope, resource: Resource, { query, definitions }: Asking): Promise<ExportPlace> {
  const { epoch, sequence } = await loadFeedHead(inside)
  const { fields } = query
  return {
    after: query.after,
    count: 0,
    changes_cursor: writeFeedCursor(inside, { epoch, sequence }),
    columns: query.format === 'csv' ? await columnsFor(inside, resource, { definitions, fields }) : null,
  }
}

async function readPart(
  inside: Scope,
  resource: Resource,
  { query, definitions, place }: Asking & { place: ExportPlace },
) {
  const { filter, fields } = query
  const page = await loadIdPage(inside, resource, { filter, after: place.after, limit: PART_RECORDS })
  const rows = withinBytes(page.rows)
  const until = rows.length < page.rows.length ? rows.at(-1)?.id : page.until
  const records = await presentSync(inside, resource, { rows, definitions, fields })
  const count = place.count + records.length
  const lines = place.columns ? csvLines(records, place.columns) : ndjsonLines(records)
  const end = until === undefined && !place.columns ? endLine({ ...place, count }) : ''
  return {
    text: lines + end,
    place: { ...place, count, after: until ?? place.after },
    more: until !== undefined,
  }
}

/** As many records as fit into a part, and at least one. */
function withinBytes(rows: readonly LightRow[]): readonly LightRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.custom_bytes
    return bytes > PART_BYTES && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

function ndjsonLines(records: readonly ResourceObject[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

function csvLines(records: readonly ResourceObject[], columns: CsvColumns): string {
  return records.map((record) => lineOf(record, columns)).join('')
}

/** Says that the export is complete. */
function endLine({ count, changes_cursor }: ExportPlace): string {
  return `${JSON.stringify({ type: 'end', meta: { count, changes_cursor } })}\n`
}
