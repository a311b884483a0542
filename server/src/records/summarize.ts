import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { readingFields, requireSameFields } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadLabels, loadMembers } from '../storage/query/related.ts'
import { type Grouping, loadSummary, type SummaryRow } from '../storage/query/summaries.ts'
import { loadFieldsVersion } from '../storage/tables/fields-version.ts'
import { requireAbilities } from './allow.ts'
import { explainingSlow } from './explain-slow.ts'
import { type Measure, parseSummary } from './summarize-input.ts'
import { averageOf, sumOf } from './summary-numbers.ts'

/**
 * `key` is the id of an option, member or record, a month such as 2026-11, null for records without one, or `other`.
 */
type SummaryGroup = { key: string | null; label: string; value: number | null; count: number }

type Summarized = {
  rows: SummaryGroup[]
  /** Of a currency field, its ISO 4217 code. */
  currency: string | null
}

/**
 * Counts records, or sums up a field of theirs, in groups. Options come in their order, months in that of time, and
 * what records relate to by the number of records. Then come the records without a group, and all groups beyond the
 * largest.
 */
export async function summarizeRecords(scope: Scope, resource: Resource, input: unknown): Promise<Summarized> {
  requireAbilities(scope, ['read'])
  return readingFields(scope, (inside, definitions) => summarizeWith(inside, resource, { input, definitions }))
}

async function summarizeWith(
  scope: Scope,
  resource: Resource,
  { input, definitions }: { input: unknown; definitions: Definitions },
): Promise<Summarized> {
  const issues: Issue[] = []
  const { measure, filter, field, grouping } = parseSummary(input, { resource, definitions }, reportInto(issues))
  refuseIfAny(issues)
  const load = async (inside: Scope) => {
    requireSameFields(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
    const found = await loadSummary(inside, resource, { filter, field, grouping })
    return grouping ? labelled(inside, grouping, found) : [{ key: 'all', label: 'All', row: found[0] }]
  }
  const groups = await explainingSlow(scope, { resource, filter }, () => inSnapshot(scope, load))
  const rows = groups.map(({ key, label, row }) => {
    return { key, label, value: measured(row, measure, field), count: row?.records ?? 0 }
  })
  return { rows, currency: field?.settings.currency ?? null }
}

type Labelled = { key: string | null; label: string; row: SummaryRow | undefined }

async function labelled(scope: Scope, grouping: Grouping, rows: readonly SummaryRow[]): Promise<Labelled[]> {
  const byKey = new Map(rows.filter((row) => row.kind === 'group').map((row) => [row.key ?? '', row]))
  const groups = await namesOf(scope, grouping, [...byKey.values()])
  const named = groups.map(([key, label]) => ({ key, label, row: byKey.get(key) }))
  const empty = rows.find((row) => row.kind === 'empty')
  const other = rows.find((row) => row.kind === 'other')
  return [
    ...named,
    ...(empty ? [{ key: null, label: 'Empty', row: empty }] : []),
    ...(other ? [{ key: 'other', label: 'Other', row: other }] : []),
  ]
}

/** The groups in their order, by key and label. Options that no record has are included. */
async function namesOf(scope: Scope, grouping: Grouping, rows: readonly SummaryRow[]): Promise<[string, string][]> {
  const keys = rows.map((row) => row.key ?? '')
  if (grouping.by === 'month') return keys.sort().map((key) => [key, key])
  if (grouping.by === 'choice') {
    const { options } = grouping.field
    if (options.length > 0) return options.map(({ id, label }) => [id, label])
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ]
  }
  const names = await relatedNames(scope, grouping, keys)
  const sizes = new Map(rows.map((row) => [row.key, row.records]))
  const bySize = keys.map((key): [string, string] => [key, names.get(key) ?? ''])
  return bySize.sort(([a, one], [b, other]) => {
    return (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || (one < other ? -1 : one > other ? 1 : a < b ? -1 : 1)
  })
}

async function relatedNames(
  scope: Scope,
  { relation }: Grouping & { by: 'relation' },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (relation.to === 'users') return new Map((await loadMembers(scope, ids)).map((user) => [user.id, user.name]))
  return loadLabels(scope, registry[relation.to], ids)
}

function measured(row: SummaryRow | undefined, measure: Measure, field: FieldDefinition | undefined): number | null {
  switch (measure) {
    case 'count':
      return row?.records ?? 0
    case 'sum':
      return row && field ? sumOf(row, field) : 0
    case 'average':
      return row && field ? averageOf(row, field) : null
    case 'minimum':
      return row?.least ?? null
    case 'maximum':
      return row?.most ?? null
  }
}
