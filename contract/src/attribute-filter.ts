import { creationSources } from './creation-source.ts'
import { parseOperandText } from './field-types/operand-text.ts'
import type { Condition, Operator, Test } from './filter.ts'
import { parseFlag, parseWords } from './filter-operand.ts'
import { readWords, type Walk } from './filter-walk.ts'
import type { Filterable } from './filterable.ts'
import { boundedKey, fold } from './fold.ts'
import { momentTest } from './moment.ts'
import { suggestion } from './nearest.ts'
import type { Resource } from './resource.ts'

/** Reads the operators of a native attribute, and of `assigned_to_me`. Several are joined by AND. */
export function parseAttributeFilter(
  raw: unknown,
  { name, kind, operators }: Filterable,
  { resource, path, walk }: { resource: Resource; path: string; walk: Walk },
): Condition[] {
  const conditions: Condition[] = []
  readWords(raw, { name, path, words: operators }, walk, (operator, operand, operandPath) => {
    if (!walk.count()) return
    if (kind === 'computed') {
      const assigned = parseFlag(operand, operandPath, walk)
      if (assigned !== undefined) conditions.push({ node: 'assigned-to-me', assigned })
      return
    }
    const test = parseTest(kind, operator, operand, operandPath, walk)
    if (test !== undefined) conditions.push({ node: 'attribute', resource, attribute: name, test })
  })
  return conditions
}

function parseTest(
  kind: Filterable['kind'],
  operator: Operator,
  raw: unknown,
  path: string,
  walk: Walk,
): Test | undefined {
  if (operator === '$is_empty') {
    const empty = parseFlag(raw, path, walk)
    return empty === undefined ? undefined : { test: 'empty', empty }
  }
  if (kind === 'time') return momentTest(operator, raw, path, walk.report)
  return kind === 'source' ? sourceTest(operator, raw, path, walk) : textTest(operator, raw, path, walk)
}

function textTest(operator: Operator, raw: unknown, path: string, { report }: Walk): Test | undefined {
  const text = parseOperandText(raw, `value of ${path}`, path, report)
  if (text === undefined) return undefined
  const key = fold(text)
  if (operator === '$eq') return { test: 'exact', key: boundedKey(key), text }
  if (key !== '') return { test: 'contains', part: key }
  report(path, `The value of ${path} must not be empty: $contains needs a text to look for.`)
  return undefined
}

function sourceTest(operator: Operator, raw: unknown, path: string, walk: Walk): Test | undefined {
  if (operator === '$eq') {
    const source = parseSource(raw, path, walk)
    return source === undefined ? undefined : { test: 'any', keys: [source] }
  }
  const keys = parseWords(raw, path, walk, (item, itemPath) => parseSource(item, itemPath, walk))
  if (keys === undefined) return undefined
  return operator === '$in' ? { test: 'any', keys } : { test: 'none', keys }
}

function parseSource(raw: unknown, path: string, { report }: Walk): string | undefined {
  const source = creationSources.find((candidate) => candidate === raw)
  if (source !== undefined) return source
  const near = typeof raw === 'string' ? suggestion(raw, creationSources) : ''
  report(path, `The value of ${path} must be one of: ${creationSources.join(', ')}.${near}`)
  return undefined
}
