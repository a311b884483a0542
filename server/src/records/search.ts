import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { heldOptions } from '@kith/contract/field-types/choice'
import { boundedKey, fold } from '@kith/contract/fold'
import type { Issue } from '@kith/contract/issue'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX, SEARCH_RESULTS_MAX } from '@kith/contract/limits'
import { isUnsent, parseWhole } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { externalIdIn, parseSearch } from '@kith/contract/search-query'
import { type SearchParts, searchFold, termsIn, wordsIn } from '@kith/contract/search-words'
import { requireAbilities } from '../scope/permissions.ts'
import { parseResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadLabels, loadRecords } from '../storage/query/related.ts'
import { findCandidates } from '../storage/query/sync-rows.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { completeRows } from './complete-rows.ts'
import { explainingSlowSearch } from './list.ts'
import { parseStored } from './stored-values.ts'
import type { PageOf } from './trash/trash.ts'

/** The query as a surface received it, and the problems with reading it. */
type SearchInput = {
  query: unknown
  resource?: unknown
  page?: unknown
  per_page?: unknown
  issues?: readonly Issue[]
  /** The names of the parameters on this surface. */
  names?: Names
}

type Names = { query: string; per_page: string }

/**
 * The best matches of all resources or of one, best first: records with all words of the query in their name,
 * addresses, numbers or texts.
 */
export async function searchRecords(scope: Scope, input: SearchInput): Promise<PageOf<SearchResult>> {
  requireAbilities(scope, ['read'])
  const { names = REST_NAMES } = input
  const { query, ways, resource, page, per_page } = parseInput(scope, input, names)
  const start = (page - 1) * per_page
  return explainingSlowSearch(names.query, () =>
    inSnapshot(scope, async (inside) => {
      const hits = query === '' ? [] : await findHits(inside, { query, ways, resource })
      const data = await presentHits(inside, { query, hits: hits.slice(start, start + per_page) })
      return { data, total: hits.length, page, per_page }
    }),
  )
}

const REST_NAMES: Names = { query: 'q', per_page: 'per_page' }

type Search = { query: string; ways: readonly SearchParts[]; resource: ResourceName | undefined }

function parseInput(scope: Scope, input: SearchInput, names: Names): Search & { page: number; per_page: number } {
  const { issues = [], resource: named } = input
  const parsed = parseOrRefuse(issues, (report) => ({
    page: parseWhole(input.page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
    per_page: parseWhole(input.per_page, { name: names.per_page, max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
    resource: isUnsent(named) ? undefined : parseResource(scope.schema, named, report).type,
    ways: parseSearch(input.query, { name: names.query, path: names.query, report }) ?? [],
  }))
  return { ...parsed, query: String(input.query).trim() }
}

/** The results of the first way of searching that finds any. */
async function findHits(scope: Scope, { query, ways, resource }: Search): Promise<Hit[]> {
  const resources = resource ? [resourceIn(scope.schema, resource)] : [...scope.schema.values()]
  for (const parts of ways.length === 0 ? [[]] : ways) {
    const hits = await findInWay(scope, { query, parts, resources })
    if (hits.length > 0) return hits
  }
  return []
}

async function findInWay(
  scope: Scope,
  { query, parts, resources }: { query: string; parts: SearchParts; resources: readonly Resource[] },
): Promise<Hit[]> {
  const sought = soughtIn(query)
  const name = boundedKey(fold(query))
  const external_id = externalIdIn(query)
  const found = await Promise.all(
    resources.map(async (resource) => {
      const candidates = await findCandidates(scope, resource, { name, parts, external_id })
      return candidates.map((one) => ({ ...one, resource: resource.type, rank: rankOf(one.name, sought) }))
    }),
  )
  return found.flat().sort(compare).slice(0, SEARCH_RESULTS_MAX)
}

type RankedHit = Hit & { rank: number; created_at: string }

/** Better rank first, then the newer record. */
function compare(one: RankedHit, other: RankedHit): number {
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1
  return one.id < other.id ? 1 : -1
}

/** A search result. `detail` distinguishes it from others with the same name. */
type SearchResult = { resource: ResourceName; id: string; name: string; detail: string | null; created_at: string }

/** A record that matches. */
type Hit = Pick<SearchResult, 'resource' | 'id' | 'name' | 'created_at'>

async function presentHits(
  scope: Scope,
  { query, hits }: { query: string; hits: readonly Hit[] },
): Promise<SearchResult[]> {
  const details = new Map<string, string | undefined>()
  for (const [type, some] of Map.groupBy(hits, (hit) => hit.resource)) {
    const ids = some.map((hit) => hit.id)
    for (const [id, detail] of await detailsOf(scope, type, { query, ids })) details.set(id, detail)
  }
  return hits.map(({ resource, id, name, created_at }) => {
    return { resource, id, name, detail: details.get(id) ?? null, created_at }
  })
}

/** The matching address or the first one, the company, or a choice. */
async function detailsOf(scope: Scope, type: ResourceName, { query, ids }: { query: string; ids: readonly string[] }) {
  const fields = resourceIn(scope.schema, type).fields.list
  const keys = new Set(fields.filter(isDetail).map((field) => field.key))
  const rows: RecordRow[] = []
  for await (const some of loadRecords(scope, type, ids)) {
    rows.push(...(await completeRows(scope, type, { rows: some, keys })))
  }
  const companies = await companiesOf(scope, rows)
  const words = wordsIn(searchFold(query))
  return rows.map((row): [string, string | undefined] => {
    const address = addressIn(row, { fields, words })
    return [row.id, address ?? companies.get(row.company_id ?? '') ?? choiceIn(row, fields)]
  })
}

async function companiesOf(scope: Scope, rows: readonly RecordRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap((row) => row.company_id ?? []))
  return loadLabels(scope, resourceIn(scope.schema, 'companies'), [...ids])
}

function isDetail(field: FieldDefinition): boolean {
  return isAddress(field) || isChoice(field)
}

function isAddress({ type }: FieldDefinition): boolean {
  return fieldTypes[type].searched === 'address'
}

function isChoice({ type, options }: FieldDefinition): boolean {
  return options.length > 0 && !fieldTypes[type].list
}

/** The address with the most matching words; the first one of several. */
function addressIn(
  row: RecordRow,
  { fields, words }: { fields: readonly FieldDefinition[]; words: readonly string[] },
): string | undefined {
  const stored = parseStored(row.custom_fields)
  const addresses = fields.filter(isAddress).flatMap((field) => {
    const value = stored[field.key]
    return Array.isArray(value) ? value : []
  })
  const counts = addresses.map((address) => {
    const folded = searchFold(address)
    return words.filter((word) => folded.includes(word)).length
  })
  return addresses[counts.indexOf(Math.max(...counts))]
}

/** For example the stage of an opportunity or the status of a task. */
function choiceIn(row: RecordRow, fields: readonly FieldDefinition[]): string | undefined {
  const stored = parseStored(row.custom_fields)
  const field = fields.find((one) => isChoice(one) && stored[one.key] !== undefined)
  return field && heldOptions(field).find((option) => option.id === stored[field.key])?.label
}

/** The query that a candidate is compared with. */
type Query = { text: string; words: readonly string[] }

function soughtIn(query: string): Query {
  const words = wordsIn(searchFold(query))
  return { text: words.join(' '), words }
}

/**
 * The rank of a name, where 0 is best: it equals the query, begins with it, has words that begin with those of the
 * query, contains all of them. Otherwise another part of the record matched.
 */
function rankOf(name: string, { text, words }: Query): number {
  const folded = searchFold(name)
  const own = wordsIn(folded).join(' ')
  if (own === text) return 0
  if (own.startsWith(text)) return 1
  const terms = termsIn(folded)
  if (words.every((word) => terms.some((term) => term.startsWith(word)))) return 2
  return words.every((word) => terms.some((term) => term.includes(word))) ? 3 : 4
}
