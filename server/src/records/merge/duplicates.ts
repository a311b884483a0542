import { type Certainty, certainties } from '@kith/contract/certainty'
import { fieldTypes } from '@kith/contract/field-types'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseWord } from '@kith/contract/parse-word'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import {
  countShared,
  loadHolders,
  loadSharedKeys,
  nameIndex,
  type SharedIndex,
  type SharedKey,
  valueIndex,
} from '../../storage/tables/duplicates.ts'
import type { PageOf, PageParams } from '../trash/trash.ts'

/** A value that several records share, although only one should have it. */
type Duplicate = {
  /** For `certain` duplicates the field is unique. */
  certainty: Exclude<Certainty, 'all'>
  field: { code: string; name: string }
  /** In the spelling of the oldest record. */
  value: SharedKey
  /** Oldest first, and at most as many as can be merged at once. */
  records: { id: string; name: string; created_at: string }[]
  count: number
}

/** An index, and how its matches are shown. */
type Source = Pick<Duplicate, 'certainty' | 'field'> & { index: SharedIndex }

/**
 * Values that several records share. `certain`: the value of a unique field, ordered by field, then value. `likely`:
 * the name without letter case, accents, punctuation and legal form, then the e-mail address or the host in other
 * fields.
 */
export async function findDuplicates(
  scope: Scope,
  { type }: Resource,
  params: PageParams & { certainty?: unknown },
): Promise<PageOf<Duplicate>> {
  requireAbilities(scope, ['read'])
  const { wanted, page, per_page } = parseOrRefuse([], (report) => ({
    wanted: parseWord(params.certainty, { name: 'certainty', words: certainties }, report) ?? 'certain',
    ...parsePageQuery({ page: params.page, per_page: params.per_page }, [], report),
  }))
  return inSnapshot(scope, (inside) => {
    const sources = sourcesOf(inside, requireResource(inside.schema, type))
    const some = sources.filter((source) => wanted === 'all' || source.certainty === wanted)
    return loadDuplicates(inside, some, { page, per_page })
  })
}

function sourcesOf(inside: Scope, resource: Resource): Source[] {
  const { list } = resource.fields
  const certain = list
    .filter((field) => field.unique)
    .map((field): Source => {
      return { certainty: 'certain', field: shown(field), index: valueIndex(inside, field, 'value') }
    })
  const likely = list.flatMap((field): Source[] => {
    const by = field.unique ? undefined : fieldTypes[field.type].alikeBy
    return by ? [{ certainty: 'likely', field: shown(field), index: valueIndex(inside, field, by) }] : []
  })
  const names: Source = {
    ...({ certainty: 'likely', field: { code: 'name', name: 'Name' } } as const),
    index: nameIndex(inside, resource),
  }
  return [...certain, ...(resource.label === 'name' ? [names] : []), ...likely]
}

function shown({ code, name }: { code: string; name: string }): Duplicate['field'] {
  return { code, name }
}

async function loadDuplicates(
  inside: Scope,
  sources: readonly Source[],
  { page, per_page }: { page: number; per_page: number },
): Promise<PageOf<Duplicate>> {
  const data: Duplicate[] = []
  let total = 0
  for (const source of sources) {
    const shared = await countShared(inside, source.index)
    const offset = Math.max(0, (page - 1) * per_page + data.length - total)
    if (data.length < per_page && offset < shared) {
      data.push(...(await duplicatesOf(inside, source, { limit: per_page - data.length, offset })))
    }
    total += shared
  }
  return { data, total, page, per_page }
}

async function duplicatesOf(scope: Scope, source: Source, part: { limit: number; offset: number }) {
  const { certainty, field, index } = source
  const keys = await loadSharedKeys(scope, index, part)
  const holders = Map.groupBy(await loadHolders(scope, index, keys), (holder) => holder.key)
  return keys.flatMap((key): Duplicate[] => {
    const [first, ...others] = holders.get(key) ?? []
    if (!first) return []
    const records = [first, ...others].map(({ id, name, created_at }) => ({ id, name, created_at }))
    return [{ certainty, field, value: first.value ?? key, records, count: first.count }]
  })
}
