import { creationSources } from './creation-source.ts'
import { parseOperandText } from './field-types/operand-text.ts'
import type { Condition, Operator, Test } from './filter.ts'
import { parseFlag, parseIds, parseWords } from './filter-operand.ts'
import { type Spot, wordsIn } from './filter-walk.ts'
import type { Filterable } from './filterable.ts'
import { boundedKey, fold } from './fold.ts'
import { momentTest } from './moment.ts'
import { suggestion } from './nearest.ts'
import type { Resource } from './resource.ts'

/** Reads the operators of a native attribute, and of `assigned_to_me`. Several are joined by AND. */
export function parseAttributeFilter(
  raw: unknown,
  { name, kind, operators }: Filterable,
  { resource, ...spot }: Spot & { resource: Resource },
): Condition[] {
  const conditions: Condition[] = []
  for (const { word, value, path } of wordsIn(raw, { name, words: operators }, spot)) {
    if (!spot.walk.count()) continue
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

type ParseTest = (operator: Operator, raw: unknown, spot: Spot) => Test | undefined

const testsOf: Partial<Readonly<Record<Filterable['kind'], ParseTest>>> = {
  id: idTest,
  text: textTest,
  time: (operator, raw, { path, walk }) => momentTest(operator, raw, { path, report: walk.report }),
  source: sourceTest,
}

function idTest(operator: Operator, raw: unknown, spot: Spot): Test | undefined {
  const keys = parseIds(raw, spot)
  return keys && { test: operator === '$in' ? 'any' : 'none', keys }
}

function textTest(operator: Operator, raw: unknown, { path, walk: { report } }: Spot): Test | undefined {
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

function parseSource(raw: unknown, { path, walk: { report } }: Spot): string | undefined {
  const source = creationSources.find((candidate) => candidate === raw)
  if (source !== undefined) return source
  const near = typeof raw === 'string' ? suggestion(raw, creationSources) : ''
  report(path, `The value of ${path} must be one of: ${creationSources.join(', ')}.${near}`)
  return undefined
}
