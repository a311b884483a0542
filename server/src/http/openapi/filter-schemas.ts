import { creationSources } from '@kith/contract/creation-source'
import { externalIdOperators } from '@kith/contract/external-ids-filter'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { type ValueKind, valueKinds } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { declareRelation, hostOperators, linkOperators } from '@kith/contract/filterable'
import {
  FILTER_CONDITIONS_MAX,
  FILTER_LIST_MAX,
  FILTER_LOGIC_DEPTH_MAX,
  FILTER_OPERAND_MAX,
  FILTER_RELATION_DEPTH_MAX,
  SEARCH_QUERY_MAX,
} from '@kith/contract/limits'
import type { Operator } from '@kith/contract/operators'
import { generalSchema } from '@kith/contract/registry'
import {
  CUSTOM_FIELDS,
  type Filterable,
  type Resource,
  type Schema as Resources,
  relationOf,
  resourceIn,
} from '@kith/contract/resource'
import { closed, named, type Schema } from '@kith/contract/shape'
import { anyOne, constant, is, isGeneral, listed, mapped, oneOf, says, systemFields, typesOf } from './schema.ts'

/** The operators that attributes and fields take, by kind. */
export function filterSchemas(resources: Resources): Record<string, Schema> {
  const kinds = isGeneral(resources) ? valueKinds : kindsIn(resources)
  return {
    IdConditions: conditions(operatorsOf('id'), named('Id'), { description: 'IDs of the records themselves.' }),
    NameConditions: conditions(operatorsOf('text'), text, {
      description: '`$contains` looks for a part in any letter case.',
    }),
    TimeConditions: conditions(operatorsOf('time'), time, {
      description: 'A date without a time means that whole day in UTC.',
    }),
    CreationSourceConditions: conditions(operatorsOf('source'), { enum: creationSources }, { description: EMPTY_TOO }),
    MemberConditions: conditions(linkOperators, member, {
      description: `IDs of members, or \`me\`, the user of the token; no nested conditions. ${EMPTY_TOO}`,
    }),
    AssignedToMeConditions: conditions(operatorsOf('computed'), is.flag, { description: "To the token's own user." }),
    SearchCondition: {
      type: 'string',
      maxLength: SEARCH_QUERY_MAX,
      description: 'Words that the record must all have, as in `GET /v1/search`.',
      examples: ['byron ada'],
    },
    ExternalIdConditions: conditions(externalIdOperators, text, {
      description: `Ids of one namespace, compared exactly. ${NONE_TOO}`,
    }),
    ExternalIdsFilter: {
      type: 'object',
      description: 'Operators by the namespace of external ids.',
      additionalProperties: named('ExternalIdConditions'),
      minProperties: 1,
    },
    ...Object.fromEntries(kinds.map((kind) => [`${kind}Conditions`, fieldConditions(kind)])),
    ...(isGeneral(resources) ? { CustomFieldConditions: anyConditions } : {}),
  }
}

/** The kinds of values that have conditions of their own. Reference fields take those of what they refer to. */
function kindsIn(resources: Resources): ValueKind[] {
  const all = [...resources.values()].flatMap(({ fields }) => fields.list.map(({ type }) => fieldTypes[type]))
  return [...new Set(all.filter(({ refersTo }) => !refersTo).map(({ kind }) => kind))]
}

const anyConditions: Schema = {
  description: 'The operators that a custom field takes, by its type.',
  anyOf: valueKinds.map((kind) => named(`${kind}Conditions`)),
}

const EMPTY_TOO = '`$not_in` also matches records where the field is empty.'
const NONE_TOO = '`$has_none` also matches records where the field is empty.'

const text: Schema = { type: 'string', maxLength: FILTER_OPERAND_MAX }
const member: Schema = { anyOf: [named('Id'), constant('me')] }
const time: Schema = { type: 'string', examples: ['2026-11-14', '2026-11-14T09:30:00Z'] }

/** The operand of each kind of value, and its description. */
const operands: Readonly<Record<ValueKind, readonly [operand: Schema, description: string]>> = {
  Text: [text, '`$eq` is exact, `$contains` looks for a part in any letter case.'],
  LongText: [text, 'Any letter case.'],
  Number: [{ type: ['number', 'string'] }, 'Numbers, or texts that are one.'],
  Date: [time, 'Of a date-time, its day counts.'],
  DateTime: [time, 'A date without a time means that whole day in UTC.'],
  Boolean: [is.flag, 'An unset field is neither true nor false: `$is_empty` finds it.'],
  Choice: [text, `Labels or IDs of options; an unknown one is refused. ${EMPTY_TOO}`],
  Choices: [text, `Labels or IDs of options; an unknown one is refused. ${NONE_TOO}`],
  Tags: [text, `Tags exactly as stored. ${NONE_TOO}`],
  Emails: [text, `Any letter case. \`domain\` asks for the host of each address. ${NONE_TOO}`],
  Phones: [text, `Any format with a country code. ${NONE_TOO}`],
  Links: [
    text,
    `Any letter case, with or without the scheme. \`domain\` asks for the host of each address. ${NONE_TOO}`,
  ],
  Domains: [text, `A bare host or a full URL, with or without www. ${NONE_TOO}`],
  Reference: [
    text,
    `IDs. Records take conditions on the related record as well; members take \`me\`, the user of the token. ${EMPTY_TOO}`,
  ],
}

const lists: ReadonlySet<string> = new Set<Operator>(['$in', '$not_in', '$has_any', '$has_none'])

/** An object with at least one operator. */
function conditions(
  operators: readonly Operator[],
  operand: Schema,
  { description, more = {} }: { description: string; more?: Readonly<Record<string, Schema>> },
): Schema {
  const properties = { ...mapped(operators, (operator) => operandOf(operator, operand)), ...more }
  return { description, ...closed(properties, { required: [] }), minProperties: 1 }
}

function operandOf(operator: string, operand: Schema): Schema {
  if (operator === '$is_empty') return is.flag
  if (!lists.has(operator)) return operand
  return { type: 'array', items: operand, minItems: 1, maxItems: FILTER_LIST_MAX }
}

/** Attributes of a kind have the same operators in all resources. */
function operatorsOf(kind: Filterable['kind']): readonly Operator[] {
  const found = [...generalSchema.values()]
    .flatMap((resource) => [...resource.filterables.values()])
    .find((one) => one.kind === kind)
  return found?.operators ?? []
}

function fieldConditions(kind: ValueKind): Schema {
  const [first] = typesOf(kind)
  const { operators, hosts, refersTo } = fieldTypes[first ?? 'text']
  const [operand, description] = operands[kind]
  const domain = conditions(hostOperators, text, {
    description: 'Bare hosts in any letter case. `$not_in` also matches empty fields.',
  })
  return {
    title: typesOf(kind).join(', '),
    ...conditions(operators, operand, { description, more: hosts ? { domain } : {} }),
    // Names of the related resource.
    ...(refersTo === 'records' ? { additionalProperties: true } : {}),
  }
}

const LIMITS = `At most ${FILTER_CONDITIONS_MAX} conditions, ${FILTER_LOGIC_DEPTH_MAX} levels of \`$and\`, \`$or\` and \`$not\`, ${FILTER_RELATION_DEPTH_MAX} levels of relations and ${FILTER_LIST_MAX} values in one list.`

/** The remaining depth of each kind. Every state has its own schemas, because many tools fail on recursion. */
type DepthLeft = { relations: number; logic: number }

const TOP: DepthLeft = { relations: FILTER_RELATION_DEPTH_MAX, logic: FILTER_LOGIC_DEPTH_MAX }

/** The filter language: a tree for each resource. */
export function resourceFilters(resource: Resource): [string, Schema][] {
  const filters: [string, Schema][] = []
  for (let relations = TOP.relations; relations >= 0; relations--) {
    if (relations === TOP.relations || hasReferences(resource)) {
      filters.push([fieldsFilterName(resource, relations), fieldsFilter(resource, relations)])
    }
    for (let logic = TOP.logic; logic >= 0; logic--) filters.push(...filtersAt(resource, { relations, logic }))
  }
  return filters
}

/** The schemas of a resource at one depth: as a condition, and behind a relation. */
function filtersAt(resource: Resource, left: DepthLeft): [string, Schema][] {
  const { type } = resource
  const properties = filterProperties(resource, left)
  const filters: [string, Schema][] = []
  const isTop = left.relations === TOP.relations && left.logic === TOP.logic
  // Below the top, a condition is always inside a logical operator.
  if (isTop || left.logic < TOP.logic) {
    const description = isTop ? `Conditions on ${type}; all keys of one object must hold. ${LIMITS}` : leftIn(left)
    const least = isTop ? {} : { minProperties: 1 }
    filters.push([filterName(resource, left), { ...closed(properties, { required: [], description }), ...least }])
  }
  if (left.relations < TOP.relations) filters.push([relationName(resource, left), relationFilter(resource, properties)])
  return filters
}

function filterName(resource: Resource, left: DepthLeft): string {
  return `${oneOf(resource)}Filter${suffixOf(left)}`
}

function relationName(resource: Resource, left: DepthLeft): string {
  return `${oneOf(resource)}RelationFilter${suffixOf(left)}`
}

/** Without reference fields it is the same at every depth. */
function fieldsFilterName(resource: Resource, relations: number): string {
  const isSame = relations === TOP.relations || !hasReferences(resource)
  return `${oneOf(resource)}CustomFieldsFilter${isSame ? '' : `R${relations}`}`
}

function hasReferences({ fields }: Resource): boolean {
  return fields.list.some(({ type }) => fieldTypes[type].refersTo)
}

function suffixOf({ relations, logic }: DepthLeft): string {
  return relations === TOP.relations && logic === TOP.logic ? '' : `R${relations}L${logic}`
}

function leftIn({ relations, logic }: DepthLeft): string {
  return `The same with ${relations} more levels of relations and ${logic} of \`$and\`, \`$or\` and \`$not\`.`
}

function fieldsFilter(resource: Resource, relations: number): Schema {
  const description = `Operators by the code of ${anyOne(resource)}'s custom field.`
  if (!isGeneral(resource.schema)) {
    const known = resource.fields.list.map((field) => [field.code, conditionsOn(field, resource, relations)])
    return closed(Object.fromEntries(known.filter(([, schema]) => schema)), { required: [], description })
  }
  const system = systemFields(resource.type)
  const codes = [...system.keys()]
  return {
    type: 'object',
    description: `${description} Every workspace has ${listed(codes)}.`,
    properties: mapped(codes, (code) => named(`${system.get(code)}Conditions`)),
    additionalProperties: named('CustomFieldConditions'),
  }
}

/** Undefined for a reference that cannot be followed: at the last level, or because its target is archived. */
function conditionsOn({ code, type }: FieldDefinition, resource: Resource, relations: number): Schema | undefined {
  const { refersTo, kind } = fieldTypes[type]
  if (!refersTo) return named(`${kind}Conditions`)
  const name = CUSTOM_FIELDS + code
  const relation = relationOf(resource, name)
  if (!relation || relations === 0) return undefined
  // With all levels of logic, so that there is one schema for each level of relations.
  return schemaOf(declareRelation(name, relation), resource.schema, { relations, logic: TOP.logic })
}

function relationFilter({ type, one }: Resource, properties: Readonly<Record<string, Schema>>): Schema {
  const links = mapped(linkOperators, (operator) => operandOf(operator, named('Id')))
  const description = `Operators on the relation itself, or conditions on the related ${type} in their own filter names. Some related ${one} must meet all conditions together, \`$in\` included; \`$not_in\` and \`$is_empty\` speak of the relation as a whole.`
  return { ...closed({ ...links, ...properties }, { required: [], description }), minProperties: 1 }
}

function filterProperties(resource: Resource, left: DepthLeft): Record<string, Schema> {
  const native = [...resource.filterables.values()].filter(
    (filterable) => left.relations > 0 || !('relation' in filterable),
  )
  return {
    ...Object.fromEntries(native.map((filterable) => [filterable.name, schemaOf(filterable, resource.schema, left)])),
    external_ids: named('ExternalIdsFilter'),
    $search: named('SearchCondition'),
    custom_fields: named(fieldsFilterName(resource, left.relations)),
    ...(left.logic > 0 ? logicWords(named(filterName(resource, { ...left, logic: left.logic - 1 }))) : {}),
  }
}

function logicWords(inner: Schema): Record<string, Schema> {
  return {
    $and: { type: 'array', items: inner, minItems: 1, description: 'All of these hold.' },
    $or: { type: 'array', items: inner, minItems: 1, description: 'At least one of these holds.' },
    $not: says(inner, 'This does not hold. Records where the fields are empty match too.'),
  }
}

const conditionsOf = {
  id: 'IdConditions',
  text: 'NameConditions',
  time: 'TimeConditions',
  source: 'CreationSourceConditions',
  member: 'MemberConditions',
  computed: 'AssignedToMeConditions',
} as const

function schemaOf(filterable: Filterable, resources: Resources, left: DepthLeft): Schema {
  if (filterable.kind !== 'record') return named(conditionsOf[filterable.kind])
  return named(relationName(resourceIn(resources, filterable.to), { ...left, relations: left.relations - 1 }))
}
