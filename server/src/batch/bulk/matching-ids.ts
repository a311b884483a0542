import type { Condition } from '@kith/contract/filter'
import { parseId } from '@kith/contract/id'
import { parseFilter } from '@kith/contract/parse-filter'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { reading } from '../../fields/definitions.ts'
import { explainingSlow } from '../../records/list.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { readInput, requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { findMatching, loadIdPage } from '../../storage/query/sync-rows.ts'

const IDS_MAX = 5000

/** The ids of all records that match a filter, in parts. A record that exists throughout is listed exactly once. */
export async function listMatchingIds(
  scope: Scope,
  { type }: Resource,
  body: unknown,
): Promise<{
  ids: string[]
  /** The id to continue after; null at the end. */
  after: string | null
}> {
  requireAbilities(scope, ['read'])
  const { filter: raw, after } = readInput(body, ({ raw, report }) => {
    const sent = raw('after') ?? null
    const id = sent === null ? '' : parseId(sent)
    if (id === undefined) report('after', 'The after must be the ID at which the part before ended, or null.')
    return { filter: raw('filter'), after: id ?? '' }
  })
  return reading(scope, (current) => {
    const resource = requireResource(current.schema, type)
    const filter = parseCondition(raw, resource)
    return explainingSlow(current, { resource, filter, sort: [], total: false }, () =>
      inSnapshot(current, async (inside) => {
        const { rows, until } = await loadIdPage(inside, resource, { filter, after, limit: IDS_MAX })
        return { ids: rows.map(({ id }) => id), after: until ?? null }
      }),
    )
  })
}

function parseCondition(raw: unknown, resource: Resource): Condition | undefined {
  return parseOrRefuse([], (report) => parseFilter(raw, { resource, loose: false }, report))
}

/** The ids whose records still match the filter. */
export async function stillMatching(
  inside: Scope,
  resource: Resource,
  { ids, filter }: { ids: readonly string[]; filter: unknown },
): Promise<readonly string[]> {
  const condition = parseCondition(filter, resource)
  return condition ? [...(await findMatching(inside, resource, { filter: condition, ids }))] : ids
}
