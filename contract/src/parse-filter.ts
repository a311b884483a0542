import { creationSources } from './creation-source.ts'
import { excerpt } from './excerpt.ts'
import { parseExternalIdsFilter } from './external-ids-filter.ts'
import { parseFieldFilters } from './field-filter.ts'
import { parseOperandText } from './field-types/operand-text.ts'
import { type Condition, type LinkTest, logicWords, SEARCH, type Test } from './filter.ts'
import {
  correctedLink,
  filterParser,
  parseFlag,
  parseIds,
  parseWords,
  type Spot,
  unknownWord,
  wordsIn,
} from './filter-parser.ts'
import { declareRelation, linkOperators } from './filterable.ts'
import { boundedKey, fold } from './fold.ts'
import type { Report } from './issue.ts'
import { FILTER_LOGIC_DEPTH_MAX, FILTER_RELATION_DEPTH_MAX } from './limits.ts'
import { meantName } from './meant-name.ts'
import { momentTest } from './moment.ts'
import { suggestion, UNDER_CUSTOM_FIELDS } from './nearest.ts'
import type { Operator } from './operators.ts'
import { isObject, isUnsent, listItems } from './raw-input.ts'
import { CUSTOM_FIELDS, EXTERNAL_IDS, type Filterable, type Resource, relationOf, resourceIn } from './resource.ts'
import { externalIdIn, parseSearch } from './search-query.ts'

/**
 * `loose` is set for query strings, where everything arrives as text. `path` begins all paths; `filter` unless given.
 * `stored` is set for feeds, in which a deletion of a related record has no entry for the record: its match stays.
 */
type FilterContext = { resource: Resource; loose: boolean; path?: string; stored?: true }

/** Reads the filter language. Undefined means that there is no condition, or that a problem was reported. */
export function parseFilter(raw: unknown, context: FilterContext, report: Report): Condition | undefined {
  if (isUnsent(raw) || (typeof raw === 'object' && raw !== null && Object.keys(raw).length === 0)) return undefined
  const { resource, loose, path = 'filter', stored } = context
  const parser = filterParser({ loose, root: path, report })
  const condition = parseNode(raw, {
    parser,
    resource,
    path,
    logic: 0,
    relations: 0,
    relation: undefined,
    stored: stored && { stored },
  })
  return parser.failed() ? undefined : condition
}

/** The position of a node in the tree: the resource whose names it uses, and its depth. */
type Place = Spot & {
  resource: Resource
  logic: number
  relations: number
  /** The relation whose node this is. Such a node takes operators as well as conditions. */
  relation: string | undefined
  /** For the nodes of relations. */
  stored: { stored: true } | undefined
}

/** An object of conditions; its keys are joined by AND. */
function parseNode(raw: unknown, place: Place): Condition | undefined {
  const { parser } = place
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    parser.report(place.path, `The condition ${place.path} must be an object with at least one of: ${listed(place)}.`)
    return undefined
  }
  const conditions: Condition[] = []
  for (const key of keys) {
    if (parser.stopped()) return undefined
    conditions.push(...parseEntry(key, raw[key], place))
  }
  return joined('and', conditions)
}

function parseEntry(key: string, raw: unknown, place: Place): Condition[] {
  const { resource, parser } = place
  const path = `${place.path}.${excerpt(key)}`
  if (key === '$and' || key === '$or' || key === '$not') return parseLogic(key, raw, { ...place, path })
  if (key === SEARCH) {
    if (!parser.count()) return []
    const ways = parseSearch(raw, { name: `value of ${path}`, path, report: parser.report })
    if (ways?.length === 0) parser.report(path, `The value of ${path} must have a letter or a digit to search for.`)
    return ways && ways.length > 0 ? [{ node: 'search', resource, ways, external_id: externalIdIn(raw) }] : []
  }
  if (key === 'custom_fields') {
    // Form builders send the empty object. Deeper down it is a condition without content.
    if (place.path === parser.root && isEmptyNode(raw, parser.loose)) return []
    return parseFieldFilters(raw, { resource, path, parser }, (value, field, fieldPath) => {
      const name = CUSTOM_FIELDS + field.code
      const relation = relationOf(resource, name)
      if (!relation) {
        parser.report(fieldPath, `The field ${field.code} cannot be filtered by: what it refers to is archived.`)
        return []
      }
      return parseRelation(value, declareRelation(name, relation), { ...place, path: fieldPath })
    })
  }
  if (key === EXTERNAL_IDS) return parseExternalIdsFilter(raw, { resource, path, parser })
  const filterable = resource.filterables.get(key)
  if (filterable === undefined) {
    const names = namesAt(place)
    const isField = resource.fields.byCode.has(key)
    const of = place.relation ?? `of ${resource.type}`
    const near = isField ? UNDER_CUSTOM_FIELDS : meantName(key, resource, names)
    parser.report(path, `The filter ${of} does not take ${excerpt(key)}. Accepted: ${names.join(', ')}.${near}`)
    return []
  }
  if (filterable.kind === 'member' || filterable.kind === 'record') {
    return parseRelation(raw, filterable, { ...place, path })
  }
  return parseAttributeFilter(raw, filterable, { resource, path, parser })
}

function parseLogic(word: '$and' | '$or' | '$not', raw: unknown, place: Place): Condition[] {
  const { path, parser } = place
  if (place.logic >= FILTER_LOGIC_DEPTH_MAX) {
    parser.report(path, `A filter nests $and, $or and $not at most ${FILTER_LOGIC_DEPTH_MAX} levels deep.`)
    return []
  }
  const inner = { ...place, logic: place.logic + 1, relation: undefined }
  if (word === '$not') {
    const condition = parseNode(raw, inner)
    return condition === undefined ? [] : [{ node: 'not', condition }]
  }
  const items = listItems(raw, parser.loose)
  if (items === undefined || items.length === 0) {
    parser.report(path, `The value of ${path} must be a list with at least one condition object.`)
    return []
  }
  const conditions: Condition[] = []
  for (const [index, item] of items.entries()) {
    if (parser.stopped()) return []
    const condition = parseNode(item, { ...inner, path: `${path}.${index}` })
    if (condition !== undefined) conditions.push(condition)
  }
  const condition = joined(word === '$and' ? 'and' : 'or', conditions)
  return condition === undefined ? [] : [condition]
}

/**
 * The same related record must match `$in` and all nested conditions, so they make one node.
 * `$not_in` and `$is_empty` are about the link as a whole and make their own nodes.
 */
function parseRelation(
  raw: unknown,
  filterable: Filterable & { kind: 'member' | 'record' },
  place: Place,
): Condition[] {
  const { resource, path, parser } = place
  const { name, relation, kind } = filterable
  if (place.relations >= FILTER_RELATION_DEPTH_MAX) {
    parser.report(path, `A filter nests relations at most ${FILTER_RELATION_DEPTH_MAX} levels deep.`)
    return []
  }
  const related = kind === 'record' ? resourceIn(resource.schema, filterable.to) : undefined
  const inner = related && { ...place, resource: related, relations: place.relations + 1, relation: name }
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    const more = related === undefined ? '' : `, or conditions on the ${related.one}`
    parser.report(
      path,
      `The filter ${name} must be an object with at least one of: ${linkOperators.join(', ')}${more}.${correctedLink(raw, related?.label, place)}`,
    )
    return []
  }
  const linked = (test: LinkTest): Condition => ({ node: 'link', resource, relation, name, test, ...place.stored })
  const whole: Condition[] = []
  const nested: Condition[] = []
  let ids: readonly string[] | undefined
  for (const key of keys) {
    if (parser.stopped()) return []
    const keyPath = `${path}.${excerpt(key)}`
    if (key === '$in' || key === '$not_in') {
      const me = related ? 'never me' : place.stored ? 'me is refused' : 'or me'
      const list = parser.count() ? parseIds(raw[key], { path: keyPath, parser }, me) : undefined
      if (key === '$in') ids = list
      else if (list) whole.push(linked({ test: 'not-in', ids: list }))
    } else if (key === '$is_empty') {
      const empty = parser.count() ? parseFlag(raw[key], { path: keyPath, parser }) : undefined
      if (empty !== undefined) whole.push(linked({ test: 'empty', empty }))
    } else if (inner) nested.push(...parseEntry(key, raw[key], inner))
    else parser.report(keyPath, `${unknownWord(key, name, linkOperators)} Members take ids, no nested conditions.`)
  }
  const condition = joined('and', nested)
  if (condition) return [{ node: 'related', resource, relation, name, to: relation.to, ids, condition }, ...whole]
  return ids ? [linked({ test: 'in', ids }), ...whole] : whole
}

function joined(node: 'and' | 'or', conditions: readonly Condition[]): Condition | undefined {
  return conditions.length > 1 ? { node, conditions } : conditions[0]
}

function isEmptyNode(raw: unknown, loose: boolean): boolean {
  return (loose && raw === '') || (isObject(raw) && Object.keys(raw).length === 0)
}

/** Every key that a node takes. */
function namesAt({ resource, relation }: Place): string[] {
  const names = resource.filterables.keys()
  const links = relation === undefined ? [] : linkOperators
  return [...names, EXTERNAL_IDS, 'custom_fields', ...logicWords, SEARCH, ...links]
}

function listed(place: Place): string {
  return namesAt(place).join(', ')
}

/** Reads the operators of a native attribute, and of `assigned_to_me`. Several are joined by AND. */
function parseAttributeFilter(
  raw: unknown,
  { name, kind, operators }: Filterable,
  { resource, ...spot }: Spot & { resource: Resource },
): Condition[] {
  const conditions: Condition[] = []
  for (const { word, value, path } of wordsIn(raw, { name, words: operators }, spot)) {
    if (!spot.parser.count()) continue
    const inner = { ...spot, path }
    if (kind === 'computed') {
      const assigned = parseFlag(value, inner)
      if (assigned !== undefined) conditions.push({ node: 'assigned-to-me', assigned })
      continue
    }
    const test = word === '$is_empty' ? emptyTest(value, inner) : testsOf[kind]?.(word, value, inner)
    if (test !== undefined) conditions.push({ node: 'attribute', resource, attribute: name, test })
  }
  return conditions
}

function emptyTest(raw: unknown, spot: Spot): Test | undefined {
  const empty = parseFlag(raw, spot)
  return empty === undefined ? undefined : { test: 'empty', empty }
}

const testsOf: Partial<
  Readonly<Record<Filterable['kind'], (operator: Operator, raw: unknown, spot: Spot) => Test | undefined>>
> = {
  id: idTest,
  text: textTest,
  time: (operator, raw, { path, parser }) => momentTest(operator, raw, { path, report: parser.report }),
  source: sourceTest,
}

function idTest(operator: Operator, raw: unknown, spot: Spot): Test | undefined {
  const keys = parseIds(raw, spot)
  return keys && { test: operator === '$in' ? 'any' : 'none', keys }
}

function textTest(operator: Operator, raw: unknown, { path, parser: { report } }: Spot): Test | undefined {
  const text = parseOperandText(raw, { name: `value of ${path}`, path, report })
  if (text === undefined) return undefined
  const key = fold(text)
  if (operator === '$eq') return { test: 'exact', key: boundedKey(key), text }
  if (key !== '') return { test: 'contains', part: key }
  report(path, `The value of ${path} must not be empty: $contains needs a text to look for.`)
  return undefined
}

function sourceTest(operator: Operator, raw: unknown, spot: Spot): Test | undefined {
  if (operator === '$eq') {
    const source = parseSource(raw, spot)
    return source === undefined ? undefined : { test: 'any', keys: [source] }
  }
  const keys = parseWords(raw, spot, (item, path) => parseSource(item, { ...spot, path }))
  if (keys === undefined) return undefined
  return operator === '$in' ? { test: 'any', keys } : { test: 'none', keys }
}

function parseSource(raw: unknown, { path, parser: { report } }: Spot): string | undefined {
  const source = creationSources.find((candidate) => candidate === raw)
  if (source !== undefined) return source
  const near = typeof raw === 'string' ? suggestion(raw, creationSources) : ''
  report(path, `The value of ${path} must be one of: ${creationSources.join(', ')}.${near}`)
  return undefined
}
