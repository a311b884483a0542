import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { writeListCell } from '@kith/contract/csv/list-cell'
import type { Definitions } from '@kith/contract/field-definition'
import type { FieldSelection } from '@kith/contract/field-selection'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import type { ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { loadNamespaces } from '../storage/tables/external-ids.ts'

/** The columns of a CSV file after the id, by where their values come from. */
export type CsvColumns = {
  attributes: readonly string[]
  /** With the relation that each list of ids shows. */
  links: readonly { name: string; relation: string }[]
  namespaces: readonly string[]
  codes: readonly string[]
}

type Shown = { definitions: Definitions; fields: FieldSelection }

/** The columns of an export that begins now. Lists of ids are no attributes, so that `fields` does not choose them. */
export async function columnsFor(
  scope: Scope,
  resource: Resource,
  { definitions, fields }: Shown,
): Promise<CsvColumns> {
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

export function headerOf({ attributes, links, namespaces, codes }: CsvColumns): string {
  return csvLine([
    'id',
    ...attributes,
    ...links.map(({ name }) => name),
    ...namespaces.map((namespace) => `${EXTERNAL_IDS}.${namespace}`),
    ...codes.map((code) => `custom_fields.${code}`),
  ])
}

/** A record as a line. A field that was archived since the export began has no values. */
export function lineOf({ id, attributes: values, relationships }: ResourceObject, columns: CsvColumns): string {
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
