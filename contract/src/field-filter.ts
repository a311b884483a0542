import { excerpt } from './excerpt.ts'
import type { FieldDefinition } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import type { Condition, Test } from './filter.ts'
import { numbered, parseFlag, parseWords, type Spot, wordsIn } from './filter-parser.ts'
import { hostOperators } from './filterable.ts'
import { parseHostOperand } from './host.ts'
import { meantCode, outsideFields } from './meant-name.ts'
import type { Operator } from './operators.ts'
import { isObject } from './raw-input.ts'
import './numbering-plans.ts'
import type { Resource } from './resource.ts'

type Node = Spot & { resource: Resource }

/** Reads the conditions on a reference field. */
type ReadRelation = (raw: unknown, field: FieldDefinition, path: string) => Condition[]

/** Reads the node `custom_fields`: an object of operator objects by code. All are joined by AND. */
export function parseFieldFilters(
  raw: unknown,
  { resource, path, parser }: Node,
  readRelation: ReadRelation,
): Condition[] {
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    parser.report(path, `The filter custom_fields must be an object of operator objects by the code of a field.`)
    return []
  }
  const conditions: Condition[] = []
  const fields = resource.fields
  for (const key of keys) {
    if (parser.stopped()) break
    const fieldPath = `${path}.${excerpt(key)}`
    const field = fields.byCode.get(key)
    if (field && fieldTypes[field.type].refersTo) conditions.push(...readRelation(raw[key], field, fieldPath))
    else if (field) conditions.push(...parseField(raw[key], field, { resource, path: fieldPath, parser }))
    else parser.report(fieldPath, unknownCode(key, resource, [...fields.byCode.keys()]))
  }
  return conditions
}

function parseField(raw: unknown, field: FieldDefinition, { resource, path, parser }: Node): Condition[] {
  const { operators, hosts } = fieldTypes[field.type]
  const words: readonly (Operator | 'domain')[] = hosts ? [...operators, 'domain'] : operators
  const tests: Test[] = []
  for (const entry of wordsIn(raw, { name: `custom_fields.${field.code}`, words }, { path, parser })) {
    const { word, value } = entry
    if (word === 'domain') tests.push(...parseHosts(value, field, { path: entry.path, parser }))
    else if (parser.count()) tests.push(...parseTest(word, value, { field, path: entry.path, parser }))
  }
  return tests.map((test) => ({ node: 'field', resource, field, test }))
}

function parseTest(operator: Operator, raw: unknown, spot: Spot & { field: FieldDefinition }): Test[] {
  const { field, path, parser } = spot
  if (operator === '$is_empty') {
    const empty = parseFlag(raw, spot)
    return empty === undefined ? [] : [{ test: 'empty', empty }]
  }
  const { loose, report } = parser
  const test = fieldTypes[field.type].operand(operator, numbered(raw, loose), { field, path, report, loose })
  return test === undefined ? [] : [test]
}

/** The `domain` sub-field compares the hosts of email addresses and links. */
function parseHosts(raw: unknown, field: FieldDefinition, spot: Spot): Test[] {
  const { report, count } = spot.parser
  const rule = fieldTypes[field.type].hosts ?? 'keep www'
  const name = `custom_fields.${field.code}.domain`
  const tests: Test[] = []
  for (const { word, value, path } of wordsIn(raw, { name, words: hostOperators }, spot)) {
    if (!count()) continue
    const hosts = parseWords(value, { ...spot, path }, (item, itemPath) =>
      parseHostOperand(item, rule, { path: itemPath, report }),
    )
    if (hosts !== undefined) tests.push({ test: word === '$in' ? 'host-any' : 'host-none', hosts })
  }
  return tests
}

function unknownCode(key: string, resource: Resource, codes: readonly string[]): string {
  const accepted = codes.length === 0 ? 'None is defined' : `Accepted: ${codes.join(', ')}`
  const near = meantCode(key, resource)
  const outside = near === undefined ? outsideFields(key, resource) : undefined
  const hint = outside ? ` Did you mean ${outside}, outside of custom_fields?` : near ? ` Did you mean ${near}?` : ''
  return `The ${resource.type} have no custom field ${excerpt(key)}. ${accepted}.${hint}`
}
