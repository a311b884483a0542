import { choiceOf } from '@kith/contract/field-types/choice'
import { fold } from '@kith/contract/fold'
import { reportInto } from '@kith/contract/issue'
import { PERIODS_MAX } from '@kith/contract/limits'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { type Group, parseSummary, type SummaryMeta, type SummaryQuery, type SummaryRow } from '@kith/contract/summary'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import type { Periods } from '../storage/query/periods.ts'
import { loadLabels, loadMembers } from '../storage/query/related.ts'
import { type LoadedSummary, loadPeriods, loadSummary } from '../storage/query/summary.ts'
import { loadMembers as loadAllMembers } from '../storage/tables/members.ts'
import type { RawParameters } from './expected.ts'
import { explainingSlow } from './list.ts'

type Summary = { data: readonly SummaryRow[]; meta: SummaryMeta }

/** Counts records, or sums up what they have in common, in groups: everything as of one moment. */
export async function readSummary(scope: Scope, { type }: Resource, asked: RawParameters): Promise<Summary> {
  requireAbilities(scope, ['read'])
  return reading(scope, (inside) => summaryWith(inside, requireResource(inside.schema, type), asked))
}

async function summaryWith(scope: Scope, resource: Resource, asked: RawParameters): Promise<Summary> {
  const issues = [...asked.issues]
  const query = parseSummary(asked.raw, resource, reportInto(issues))
  refuseIfAny(issues)
  return explainingSlow(scope, { resource, filter: query.filter }, () =>
    inSnapshot(scope, async (inside) => {
      requireSameFields(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
      const periods: (Periods | null | undefined)[] = []
      for (const group of query.groups) periods.push(await periodsOf(inside, resource, { ...query, group }))
      const members = await membersByName(inside, query)
      const loaded = await loadSummary(inside, resource, { ...query, periods, members })
      return presentSummary(inside, { query, periods, loaded })
    }),
  )
}

/** Undefined if the group is no date and no time. */
async function periodsOf(
  scope: Scope,
  resource: Resource,
  asked: SummaryQuery & { group: Group },
): Promise<Periods | null | undefined> {
  const { group, period } = asked
  if (group.by !== 'day' && group.by !== 'time') return undefined
  const periods = await loadPeriods(scope, resource, asked)
  if (periods !== undefined) return periods
  const most = PERIODS_MAX.toLocaleString('en-US')
  const message = `From the first ${group.name} to the last there are more than ${most} periods of one ${period}.`
  return refuseValue('period', `${message} Send a longer period, or a filter for fewer records.`)
}

/** The members by name, if groups of them are sorted. */
async function membersByName(scope: Scope, { groups, sort }: SummaryQuery): Promise<string[]> {
  const hasMembers = groups.some(({ property }) => property.of === 'relation' && property.relation.to === 'users')
  if (sort !== 'label' || !hasMembers) return []
  const members = await loadAllMembers(scope.db, scope.workspace.id)
  const keyed = members.map(({ user_id, name }) => ({ id: user_id, key: fold(name) }))
  return keyed.sort((one, two) => compare(one.key, two.key) || compare(one.id, two.id)).map(({ id }) => id)
}

function compare(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0
}

async function presentSummary(
  scope: Scope,
  {
    query,
    periods,
    loaded,
  }: { query: SummaryQuery; periods: readonly (Periods | null | undefined)[]; loaded: LoadedSummary },
): Promise<Summary> {
  const { measure, field, groups } = query
  const named: LabelOf[] = []
  for (const [index, group] of groups.entries()) {
    const keys = loaded.groups.map(({ keys }) => keys[index] ?? null)
    named.push(await labelsOf(scope, { group, ids: periods[index]?.ids }, keys))
  }
  const property = field?.property
  return {
    data: loaded.groups.map(({ keys, value, count }) => ({
      keys: keys.map((key, index) => named[index]?.(key) ?? EMPTY),
      value,
      count,
    })),
    meta: {
      measure,
      field: field?.name ?? null,
      currency: (property?.of === 'field' && property.field.settings.currency) || null,
      total_groups: loaded.total,
      other: loaded.other,
    },
  }
}

type LabelOf = (key: string | number | null) => ShownKey | undefined

type ShownKey = SummaryRow['keys'][number]

const EMPTY: ShownKey = { id: null, label: 'Empty' }

/** How the keys of a group are shown. `ids` are those of its periods. */
async function labelsOf(
  scope: Scope,
  { group: { by, property }, ids }: { group: Group; ids: readonly string[] | undefined },
  keys: readonly (string | number | null)[],
): Promise<LabelOf> {
  const names = property.of === 'relation' ? await relatedNames(scope, property.relation.to, keys) : undefined
  const labelOf = (id: string) => {
    if (by === 'flag') return id === 'true' ? 'Yes' : 'No'
    if (by === 'choice' && property.of === 'field') return choiceOf(id, property.field)?.label ?? id
    return names ? (names.get(id) ?? '') : id
  }
  return (key) => {
    if (key === null) return undefined
    const id = typeof key === 'number' ? (ids?.[key] ?? '') : key
    return { id, label: labelOf(id) }
  }
}

async function relatedNames(
  scope: Scope,
  to: string,
  keys: readonly (string | number | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(keys.filter((key) => typeof key === 'string'))]
  if (to === 'users') return new Map((await loadMembers(scope, ids)).map((user) => [user.id, user.name]))
  return loadLabels(scope, resourceIn(scope.schema, to), ids)
}
