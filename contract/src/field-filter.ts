import { excerpt } from './excerpt.ts'
import type { FieldDefinition } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import type { Condition, Operator, Test } from './filter.ts'
import { numbered, parseFlag, parseWords } from './filter-operand.ts'
import { readWords, type Walk } from './filter-walk.ts'
import { hostOperators } from './filterable.ts'
import { parseHostOperand } from './host.ts'
import { suggestion } from './nearest.ts'
import { isObject } from './raw-input.ts'
import type { Resource } from './resource.ts'

type Node = { resource: Resource; path: string; walk: Walk }

/** Reads the node `custom_fields`: an object of operator objects by code. All are joined by AND. */
export function parseFieldFilters(raw: unknown, { resource, path, walk }: Node): Condition[] {
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    walk.report(path, `The filter custom_fields must be an object of operator objects by the code of a field.`)
    return []
  }
  const conditions: Condition[] = []
  const fields = walk.definitions[resource.type]
  for (const key of keys) {
    if (walk.stopped()) break
    const fieldPath = `${path}.${excerpt(key)}`
    const field = fields.byCode.get(key)
    if (field !== undefined) parseField(raw[key], field, { resource, path: fieldPath, walk }, conditions)
    else walk.report(fieldPath, unknownCode(key, resource, [...fields.byCode.keys()]))
  }
  return conditions
}

function parseField(raw: unknown, field: FieldDefinition, node: Node, conditions: Condition[]): void {
  const { resource, path, walk } = node
  const { operators, hosts } = fieldTypes[field.type]
  const words: readonly (Operator | 'domain')[] = hosts ? [...operators, 'domain'] : operators
  readWords(raw, { name: `custom_fields.${field.code}`, path, words }, walk, (word, value, wordPath) => {
    if (word === 'domain') parseHosts(value, field, { ...node, path: wordPath }, conditions)
    else if (walk.count()) {
      const test = parseTest(word, value, field, wordPath, walk)
      if (test !== undefined) conditions.push({ node: 'field', resource, field, test })
    }
  })
}

function parseTest(
  operator: Operator,
  raw: unknown,
  field: FieldDefinition,
  path: string,
  walk: Walk,
): Test | undefined {
  if (operator === '$is_empty') {
    const empty = parseFlag(raw, path, walk)
    return empty === undefined ? undefined : { test: 'empty', empty }
  }
  return fieldTypes[field.type].operand(operator, numbered(raw, walk.loose), field, path, walk.report, walk.loose)
}

/** The `domain` sub-field asks for the hosts of email addresses and links. */
function parseHosts(
  raw: unknown,
  field: FieldDefinition,
  { resource, path, walk }: Node,
  conditions: Condition[],
): void {
  const www = field.type === 'link' ? 'drop' : 'keep'
  const name = `custom_fields.${field.code}.domain`
  readWords(raw, { name, path, words: hostOperators }, walk, (operator, value, operandPath) => {
    if (!walk.count()) return
    const hosts = parseWords(value, operandPath, walk, (item, itemPath) =>
      parseHostOperand(item, itemPath, walk.report, www),
    )
    if (hosts === undefined) return
    const test: Test = operator === '$in' ? { test: 'host-any', hosts } : { test: 'host-none', hosts }
    conditions.push({ node: 'field', resource, field, test })
  })
}

function unknownCode(key: string, resource: Resource, codes: readonly string[]): string {
  const accepted = codes.length === 0 ? 'None is defined' : `Accepted: ${codes.join(', ')}`
  return `The ${resource.type} have no custom field ${excerpt(key)}. ${accepted}.${suggestion(key, codes)}`
}
