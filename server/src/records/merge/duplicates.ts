import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Resource } from '@kith/contract/resource'
import { definitionsOf } from '../../fields/definitions.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { loadHolders, loadSharedKeys, type SharedKey } from '../../storage/tables/duplicates.ts'
import { countDuplicates } from '../../storage/tables/field-values.ts'
import { requireAbilities } from '../allow.ts'
import { type PageOf, type PageParams, parsePage } from '../trash/trash.ts'

/** A value of a unique field that several records hold. */
type Duplicate = {
  field: { code: string; name: string }
  value: SharedKey
  /** The oldest first, and at most as many as can be merged at once. */
  records: { id: string; name: string; created_at: string }[]
  count: number
}

/** Values of unique fields that more than one record holds, in the order of the fields and then of the values. */
export async function findDuplicates(scope: Scope, resource: Resource, params: PageParams): Promise<PageOf<Duplicate>> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parsePage(params)
  const fields = (await definitionsOf(scope))[resource.type].list.filter((field) => field.unique)
  return inSnapshot(scope, (inside) => loadDuplicates(inside, fields, { page, per_page }))
}

async function loadDuplicates(
  inside: Scope,
  fields: readonly FieldDefinition[],
  { page, per_page }: { page: number; per_page: number },
): Promise<PageOf<Duplicate>> {
  const data: Duplicate[] = []
  let total = 0
  for (const field of fields) {
    const shared = await countDuplicates(inside, field)
    const offset = Math.max(0, (page - 1) * per_page + data.length - total)
    if (data.length < per_page && offset < shared) {
      data.push(...(await duplicatesOf(inside, field, { limit: per_page - data.length, offset })))
    }
    total += shared
  }
  return { data, total, page, per_page }
}

async function duplicatesOf(scope: Scope, field: FieldDefinition, part: { limit: number; offset: number }) {
  const keys = await loadSharedKeys(scope, field, part)
  const holders = Map.groupBy(await loadHolders(scope, field, keys), (holder) => holder.key)
  return keys.flatMap((key): Duplicate[] => {
    const [first, ...others] = holders.get(key) ?? []
    if (!first) return []
    return [
      {
        field: { code: field.code, name: field.name },
        // As the oldest record spells it.
        value: first.value ?? key,
        records: [first, ...others].map(({ id, name, created_at }) => ({ id, name, created_at })),
        count: first.count,
      },
    ]
  })
}
