import { excerpt } from './excerpt.ts'
import { isNamespace, NAMESPACE_RULE } from './external-ids.ts'
import { parseOperandList } from './field-types/operand-list.ts'
import { parseOperandText } from './field-types/operand-text.ts'
import type { Condition, ExternalIdsTest } from './filter.ts'
import { numbered, parseFlag, type Spot, wordsIn } from './filter-parser.ts'
import { isObject } from './raw-input.ts'
import type { Resource } from './resource.ts'

export const externalIdOperators = ['$has_any', '$has_none', '$is_empty'] as const

/** Reads the node `external_ids`: an object of operator objects by namespace. All are joined by AND. */
export function parseExternalIdsFilter(
  raw: unknown,
  { resource, path, parser }: Spot & { resource: Resource },
): Condition[] {
  const namespaces = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || namespaces.length === 0) {
    parser.report(path, 'The filter external_ids must be an object of operator objects by namespace.')
    return []
  }
  const conditions: Condition[] = []
  for (const namespace of namespaces) {
    if (parser.stopped()) break
    const spot = { path: `${path}.${excerpt(namespace)}`, parser }
    if (!isNamespace(namespace)) {
      parser.report(spot.path, `The external_ids have no namespace ${excerpt(namespace)}. ${NAMESPACE_RULE}`)
      continue
    }
    const tests = parseTests(raw[namespace], namespace, spot)
    conditions.push(...tests.map((test): Condition => ({ node: 'external-ids', resource, namespace, test })))
  }
  return conditions
}

function parseTests(raw: unknown, namespace: string, spot: Spot): ExternalIdsTest[] {
  const tests: ExternalIdsTest[] = []
  const name = `external_ids.${namespace}`
  for (const { word, value, path } of wordsIn(raw, { name, words: externalIdOperators }, spot)) {
    if (!spot.parser.count()) continue
    const inner = { path, parser: spot.parser }
    if (word === '$is_empty') {
      const empty = parseFlag(value, inner)
      if (empty !== undefined) tests.push({ test: 'empty', empty })
      continue
    }
    const keys = parseIds(value, inner)
    if (keys) tests.push({ test: word === '$has_any' ? 'any' : 'none', keys })
  }
  return tests
}

/** A text in a query string is one id: an id may contain commas. */
function parseIds(raw: unknown, { path, parser: { loose, report } }: Spot): string[] | undefined {
  const bare = loose ? 'one value' : 'refused'
  const ids = parseOperandList(numbered(raw, loose), { name: `value of ${path}`, path, report, bare }, (item, at) => {
    return parseOperandText(item, { name: `value of ${at}`, path: at, report })?.trim()
  })
  return ids && [...new Set(ids)]
}
