import type { FieldSelection } from '@kith/contract/answer-options'
import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { writeListCell } from '@kith/contract/csv/list-cell'
import { type ExportFormat, type ExportQuery, parseExport } from '@kith/contract/export-query'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { syncName } from '@kith/contract/resource-code'
import { atVersion } from '../fields/definitions.ts'
import type { RawParameters } from '../records/expected.ts'
import { explainingSlow } from '../records/list.ts'
import type { ResourceObject } from '../records/present.ts'
import { mapInParts } from '../scope/large-work.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import { loadIdPage } from '../storage/query/sync-rows.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadNamespaces } from '../storage/tables/external-ids.ts'
import { writeFeedCursor } from './position.ts'
import { presentSync, rowsWithin } from './present-changes.ts'

/** The progress of an export. Plain data, because each part may be read by another thread. */
export type ExportPlace = {
  after: string
  /** The number of records so far. */
  count: number
  /** The place in the changes feed before the first part. */
  changes_cursor: string
  /** The columns of a CSV file, as they were when it began. */
  columns: CsvColumns | null
}

const PART_RECORDS = 1000
const PART_BYTES = 2 * 1024 * 1024

/** One part of an export: the records after a place, or the first ones. The caller continues while there is more. */
export async function exportRecords(
  scope: Scope,
  named: Resource,
  { asked, place }: { asked: RawParameters; place: ExportPlace | undefined },
): Promise<{
  format: ExportFormat
  text: string
  place: ExportPlace
  more: boolean
}> {
  requireAbilities(scope, ['read'])
  const context = { resource: named, loose: asked.loose }
  const query = parseOrRefuse(asked.issues, (report) => parseExport(asked.raw, context, report))
  // Number all committed changes first, so that the cursor is not before changes that the export contains.
  if (!place) await scope.engine.numberChanges(scope.workspace.id)
  return explainingSlow(scope, { resource: named, filter: query.filter, sort: [], total: false }, () =>
    inSnapshot(scope, async (reading) => {
      // The schema of the snapshot: a record may have a value of a field or an option that is newer than this request.
      const inside = await atVersion(reading, await loadFieldsVersion(reading.db, reading.workspace.id))
      const resource = requireResource(inside.schema, named.type)
      const begun = place ?? (await begin(inside, resource, query))
      const head = place || !begun.columns ? '' : headerOf(begun.columns)
      const part = await readPart(inside, resource, { query, place: begun })
      return { ...part, text: head + part.text, format: query.format }
    }),
  )
}

async function begin(inside: Scope, resource: Resource, query: ExportQuery): Promise<ExportPlace> {
  const { epoch, sequence } = await loadFeedHead(inside)
  const { fields } = query
  return {
    after: query.after,
    count: 0,
    changes_cursor: writeFeedCursor(inside, { epoch, sequence }),
    columns: query.format === 'csv' ? await columnsFor(inside, resource, fields) : null,
  }
}

async function readPart(
  inside: Scope,
  resource: Resource,
  { query, place }: { query: ExportQuery; place: ExportPlace },
) {
  const { filter, fields } = query
  const page = await loadIdPage(inside, resource, { filter, after: place.after, limit: PART_RECORDS })
  const rows = rowsWithin(page.rows, PART_BYTES)
  const until = rows.length < page.rows.length ? rows.at(-1)?.id : page.until
  const records = await presentSync(inside, resource, { rows, fields })
  const count = place.count + records.length
  const { columns } = place
  const line = columns
    ? (record: ResourceObject) => lineOf(record, columns)
    : (record: ResourceObject) => `${JSON.stringify(record)}\n`
  const lines = await mapInParts(records, line, (text) => text.length)
  const end = until === undefined && !place.columns ? endLine({ ...place, count }) : ''
  return {
    text: lines.join('') + end,
    place: { ...place, count, after: until ?? place.after },
    more: until !== undefined,
  }
}

/** The last line, which marks the export as complete. */
function endLine({ count, changes_cursor }: ExportPlace): string {
  return `${JSON.stringify({ type: 'end', meta: { count, changes_cursor } })}\n`
}

/** The columns of a CSV file after the id, by the source of their values. */
type CsvColumns = {
  attributes: readonly string[]
  /** Each list of ids with its name in the sync form. */
  links: readonly { name: string; relation: string }[]
  namespaces: readonly string[]
  codes: readonly string[]
}

/** The columns of an export that begins now. Lists of ids are not attributes, so `fields` does not select them. */
async function columnsFor(scope: Scope, resource: Resource, fields: FieldSelection): Promise<CsvColumns> {
  const selection = fields.get(resource.type)
  const isShown = (name: string) => !selection || selection.attributes.has(name)
  const codes = resource.fields.list.map(({ code }) => code)
  const chosen = selection?.custom ?? 'all'
  return {
    attributes: Object.keys(resource.attributes).filter(isShown),
    links: Object.entries(resource.links).map(([name, list]) => ({ name, relation: syncName(list) })),
    namespaces: isShown(EXTERNAL_IDS) ? await loadNamespaces(scope, resource) : [],
    codes: codes.filter((code) => chosen === 'all' || chosen.has(code)),
  }
}

function headerOf({ attributes, links, namespaces, codes }: CsvColumns): string {
  return csvLine([
    'id',
    ...attributes,
    ...links.map(({ name }) => name),
    ...namespaces.map((namespace) => `${EXTERNAL_IDS}.${namespace}`),
    ...codes.map((code) => `custom_fields.${code}`),
  ])
}

/** A record as a line. A field that was archived since the export began has no values. */
function lineOf({ id, attributes: values, relationships }: ResourceObject, columns: CsvColumns): string {
  // In the forms of presentSync.
  const externalIds = (values[EXTERNAL_IDS] ?? {}) as Record<string, readonly string[]>
  const customFields = (values.custom_fields ?? {}) as Record<string, unknown>
  return csvLine([
    id,
    ...columns.attributes.map((name) => cellOf(values[name])),
    ...columns.links.map(({ relation }) => cellOf(idsIn(relationships?.[relation]?.data))),
    ...columns.namespaces.map((namespace) => cellOf(externalIds[namespace])),
    ...columns.codes.map((code) => cellOf(customFields[code])),
  ])
}

function idsIn(related: NonNullable<ResourceObject['relationships']>[string]['data'] | undefined): string[] {
  return Array.isArray(related) ? related.map(({ id }) => id) : []
}

/** A value as the text of a cell: lists joined, choices by label, references by id. Numbers are no formulas. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return writeListCell(value.map((item) => String(shownAs(item))))
  const shown = shownAs(value)
  return typeof shown === 'string' ? escapeFormula(shown) : String(shown)
}

function shownAs(value: unknown): unknown {
  if (!isObject(value)) return value
  return 'label' in value ? value.label : value.id
}
