import { boundedKey, fold } from '@kith/contract/fold'
import { type Issue, reportInto } from '@kith/contract/issue'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX, SEARCH_RESULTS_MAX } from '@kith/contract/limits'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { externalIdIn, parseSearch } from '@kith/contract/search-query'
import type { SearchParts } from '@kith/contract/search-words'
import { parseWhole } from '@kith/contract/whole-number'
import { definitionsOf } from '../fields/definitions.ts'
import { parseResourceName } from '../scope/resource-name.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { findCandidates } from '../storage/query/search.ts'
import { requireAbilities } from './allow.ts'
import { explainingSlowSearch } from './explain-slow.ts'
import { rankOf, soughtIn } from './rank.ts'
import { type Found, type Hit, presentHits } from './search-hits.ts'
import type { PageOf } from './trash/trash.ts'

/** What to search for, as a surface received it, and the problems that it had with reading it. */
type SearchInput = {
  query: unknown
  resource?: unknown
  page?: unknown
  per_page?: unknown
  issues?: readonly Issue[]
  /** What the surface calls them. */
  names?: Names
}

type Names = { query: string; per_page: string }

/**
 * The best matches of all resources or of one, the best first: records that have all words of the query in their name,
 * addresses, numbers or texts.
 */
export async function searchRecords(scope: Scope, input: SearchInput): Promise<PageOf<Found>> {
  requireAbilities(scope, ['read'])
  const { names = REST_NAMES } = input
  const { query, ways, resource, page, per_page } = parseInput(input, names)
  const start = (page - 1) * per_page
  return explainingSlowSearch(names.query, () =>
    inSnapshot(scope, async (inside) => {
      const hits = query === '' ? [] : await findHits(inside, { query, ways, resource })
      const definitions = await definitionsOf(inside)
      const data = await presentHits(inside, { definitions, query, hits: hits.slice(start, start + per_page) })
      return { data, total: hits.length, page, per_page }
    }),
  )
}

const REST_NAMES: Names = { query: 'q', per_page: 'per_page' }

type Search = { query: string; ways: readonly SearchParts[]; resource: ResourceName | undefined }

function parseInput(input: SearchInput, names: Names): Search & { page: number; per_page: number } {
  const { issues: before = [], resource: named } = input
  const issues: Issue[] = [...before]
  const report = reportInto(issues)
  const parsed = {
    page: parseWhole(input.page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
    per_page: parseWhole(input.per_page, { name: names.per_page, max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
    resource: isUnsent(named) ? undefined : parseResourceName(named, report),
  }
  const ways = parseSearch(input.query, { name: names.query, path: names.query, report })
  refuseIfAny(issues)
  return { ...parsed, query: String(input.query).trim(), ways: ways ?? [] }
}

/** The first way in which the query finds something. */
async function findHits(scope: Scope, { query, ways, resource }: Search): Promise<Hit[]> {
  for (const parts of ways.length === 0 ? [[]] : ways) {
    const hits = await findInWay(scope, { query, parts, resources: resource ? [resource] : resourceNames })
    if (hits.length > 0) return hits
  }
  return []
}

type Way = { query: string; parts: SearchParts; resources: readonly ResourceName[] }

async function findInWay(scope: Scope, { query, parts, resources }: Way): Promise<Hit[]> {
  const sought = soughtIn(query)
  const name = boundedKey(fold(query))
  const external_id = externalIdIn(query)
  const found = await Promise.all(
    resources.map(async (resource) => {
      const candidates = await findCandidates(scope, registry[resource], { name, parts, external_id })
      return candidates.map((one) => ({ ...one, resource, rank: rankOf(one.name, sought) }))
    }),
  )
  return found.flat().sort(compare).slice(0, SEARCH_RESULTS_MAX)
}

type Ranked = Hit & { rank: number; created_at: string }

/** The better rank first, then the newer record. */
function compare(one: Ranked, other: Ranked): number {
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1
  return one.id < other.id ? 1 : -1
}
