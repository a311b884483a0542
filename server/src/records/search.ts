import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { boundedKey, fold, lengthOf } from '@kith/contract/fold'
import { type Issue, reportInto } from '@kith/contract/issue'
import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_QUERY_MAX } from '@kith/contract/limits'
import { refuseIfAny } from '@kith/contract/refusal'
import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { unstorable } from '@kith/contract/text'
import { parseWhole } from '@kith/contract/whole-number'
import { definitionsOf } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { findByPart, findByPrefix, type Hit, type ValuePrefix } from '../storage/query/search.ts'
import { requireAbilities } from './allow.ts'
import { explainingSlowSearch } from './explain-slow.ts'
import { type Found, presentHits } from './search-hits.ts'

/** Records of all resources by name, email address, domain or phone number: at most `limit` of each. */
export async function searchRecords(scope: Scope, input: { query: unknown; limit?: unknown }): Promise<Found[]> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = []
  const report = reportInto(issues)
  const limit = parseWhole(input.limit, { name: 'limit', max: SEARCH_LIMIT_MAX }, report) ?? SEARCH_LIMIT_DEFAULT
  const query = typeof input.query === 'string' ? input.query.trim() : ''
  const problem = unstorable(query)
  if (typeof input.query !== 'string') report('query', 'The query must be a string.')
  else if (problem) report('query', `The query ${problem}.`)
  else if (lengthOf(query) > SEARCH_QUERY_MAX) {
    report('query', `The query must not be greater than ${SEARCH_QUERY_MAX} characters.`)
  }
  refuseIfAny(issues)
  if (query === '') return []
  const definitions = await definitionsOf(scope)
  const search = (inside: Scope) =>
    Promise.all(resources.map((resource) => searchOne(inside, resource, { definitions, query, limit })))
  const found = await explainingSlowSearch(() => inSnapshot(scope, search))
  return found.flat()
}

type Search = { definitions: Definitions; query: string; limit: number }

async function searchOne(scope: Scope, resource: Resource, { definitions, query, limit }: Search): Promise<Found[]> {
  const name = fold(query)
  const values = definitions[resource.type].list.flatMap((field) => prefixesOf(field, query))
  const hits = new Map<string, Hit>()
  const add = (found: readonly Hit[]) => {
    for (const hit of found) if (!hits.has(hit.id)) hits.set(hit.id, hit)
  }
  add(await findByPrefix(scope, resource, { name: boundedKey(name), values, limit }))
  if (hits.size < limit) add(await findByPart(scope, resource, { parts: partsOf(name), limit }))
  return presentHits(scope, resource, { definitions, hits: [...hits.values()].slice(0, limit) })
}

const TRIGRAM = 3

/** The start of a word ranks before the middle of one. Parts shorter than a trigram are not searched. */
function partsOf(name: string): string[] {
  return [` ${name}`, name].filter((part) => lengthOf(part) >= TRIGRAM)
}

/** The index keys of a field that begin with the query. */
function prefixesOf(field: FieldDefinition, query: string): ValuePrefix[] {
  const prefixes = fieldTypes[field.type].prefixes?.(query) ?? []
  return prefixes.filter(({ prefix }) => prefix !== '').map((one) => ({ field_id: field.id, ...one }))
}
