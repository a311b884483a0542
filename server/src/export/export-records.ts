import type { FieldSelection } from '@kith/contract/answer-options'
import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { writeListCell } from '@kith/contract/csv/list-cell'
import { type ExportFormat, type ExportQuery, parseExport } from '@kith/contract/export-query'
import type { Definitions } from '@kith/contract/field-definition'
import { parseOrRefuse } from '@kith/contract/refusal'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { writeFeedCursor } from '../changes/cursor.ts'
import { presentSync, rowsWithin } from '../changes/sync-form.ts'
import { definitionsAt, definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { explainingSlow } from '../records/explain-slow.ts'
import type { ResourceObject } from '../records/present.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadIdPage } from '../storage/query/id-pages.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadNamespaces } from '../storage/tables/external-ids.ts'
import { loadFieldsVersion } from '../storage/tables/workspaces.ts'

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
  const context = { resource, definitions: await definitionsOf(scope), loose: asked.loose }
  const query = parseOrRefuse(asked.issues, (report) => parseExport(asked.raw, context, report))
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
  const rows = rowsWithin(page.rows, PART_BYTES)
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

/** The columns of a CSV file after the id, by where their values come from. */
type CsvColumns = {
  attributes: readonly string[]
  /** With the relation that each list of ids shows. */
  links: readonly { name: string; relation: string }[]
  namespaces: readonly string[]
  codes: readonly string[]
}

type Shown = { definitions: Definitions; fields: FieldSelection }

/** The columns of an export that begins now. Lists of ids are no attributes, so that `fields` does not choose them. */
async function columnsFor(scope: Scope, resource: Resource, { definitions, fields }: Shown): Promise<CsvColumns> {
  const selection = fields.get(resource.type)
  const isShown = (name: string) => !selection || selection.attributes.has(name)
  const codes = definitions[resource.type].list.map(({ code }) => code)
  const chosen = selection?.custom ?? 'all'
  return {
    attributes: Object.keys(resource.attributes).filter(isShown),
    links: Object.entries(resource.links).map(([name, { relation }]) => ({ name, relation })),
    namespaces: isShown(EXTERNAL_IDS) ? await loadNamespaces(scope, resource.type) : [],
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
  // The forms in which presentSync shows them.
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

type Related = NonNullable<ResourceObject['relationships']>[string]['data'] | undefined

function idsIn(related: Related): string[] {
  return Array.isArray(related) ? related.map(({ id }) => id) : []
}

/** A value as the text of a cell: lists joined, choices by label. Numbers and booleans are no formulas. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return writeListCell(value.map((item) => String(shownAs(item))))
  const shown = shownAs(value)
  return typeof shown === 'string' ? escapeFormula(shown) : String(shown)
}

function shownAs(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'label' in value ? value.label : value
}
