import { reportUnknown } from '@kith/contract/answer-options'
import { creationSources } from '@kith/contract/creation-source'
import { externalIdOperators } from '@kith/contract/external-ids-filter'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { declareRelation, hostOperators } from '@kith/contract/filterable'
import { boundedReport, type Report } from '@kith/contract/issue'
import { sortNames } from '@kith/contract/list-query'
import { shownResource } from '@kith/contract/own-resource'
import { parseWord } from '@kith/contract/parse-word'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import {
  type Attribute,
  EXTERNAL_IDS,
  INCLUDE_EXTERNAL_IDS,
  isOwn,
  isToMany,
  type Relation,
  type Resource,
  type ResourceName,
} from '@kith/contract/resource'
import {
  type AttributeSchema,
  type CountSchema,
  type CustomFieldSchema,
  type RelationSchema,
  type ResourceSchema,
  type SchemaObject,
  schemaFormats,
} from '@kith/contract/schema'
import { shownOf } from '@kith/contract/shape'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { presentField } from '../fields/json-schema.ts'
import type { RawParameters } from '../records/expected.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'

/** The schemas of resources, or the data for their JSON Schemas, at one version. */
type ReadSchemas = { version: number } & ({ schemas: SchemaObject[] } | { resources: Resource[] })

export async function readSchemas(
  scope: Scope,
  resource: ResourceName | undefined,
  asked: RawParameters,
): Promise<ReadSchemas> {
  requireAbilities(scope, ['read'])
  const { format, archived } = parseOrRefuse(asked.issues, (report) => {
    reportUnknown(asked.raw, resource ? ['format'] : ['format', 'archived'], boundedReport(report))
    const archived = parseWord(asked.raw.archived, { name: 'archived', words: ['true', 'false'] }, report) === 'true'
    return { format: parseFormat(asked.raw.format, report), archived }
  })
  return reading(scope, async (inside) => {
    const version = await loadFieldsVersion(inside.db, inside.workspace.id)
    requireSameFields(inside, version)
    const resources = resource
      ? [requireResource(inside.schema, resource, 'or archived')]
      : [...inside.schema.values(), ...(archived ? inside.schema.archived.values() : [])]
    if (format === 'json-schema') return { version, resources }
    return { version, schemas: resources.map((one) => schemaObject(one, version)) }
  })
}

function parseFormat(raw: unknown, report: Report): (typeof schemaFormats)[number] | undefined {
  if (isUnsent(raw)) return undefined
  const format = schemaFormats.find((one) => one === raw)
  if (format === undefined) report('format', `The format must be ${schemaFormats.join(' or ')}, or left out.`)
  return format
}

export function schemaObject(resource: Resource, version: number): SchemaObject {
  return { id: resource.type, type: 'schemas', attributes: describeSchema(resource, version) }
}

/** The schema of a resource in a workspace: which operations each attribute supports. */
export function describeSchema(resource: Resource, version: number): ResourceSchema {
  const { row } = resource
  return {
    version,
    ...shownOf(shownResource, { ...row, own: isOwn(resource) }),
    attributes: Object.fromEntries(attributesOf(resource)),
    relations: Object.fromEntries(relationsOf(resource)),
    counts: Object.fromEntries(countsOf(resource)),
    custom_fields: Object.fromEntries(resource.fields.list.map((field) => [field.code, describeField(field)])),
  }
}

const unused = { writable: false, sortable: false, required: false, unique: false, operators: [] } as const

function attributesOf(resource: Resource): [string, AttributeSchema][] {
  const own = Object.entries(resource.attributes).map(([name, attribute]): [string, AttributeSchema] => [
    name,
    describeAttribute(resource, name, attribute),
  ])
  const links = Object.entries(resource.links).map(([name, { to, relation }]): [string, AttributeSchema] => [
    name,
    { type: 'references', readable: false, ...unused, writable: true, to, relation },
  ])
  return [
    ['id', { type: 'id', readable: true, ...unused, unique: true, operators: operatorsOf(resource, 'id') }],
    ...own,
    ...links,
    [EXTERNAL_IDS, externalIds],
    ...computedOf(resource),
  ]
}

const externalIds: AttributeSchema = {
  type: 'external_ids',
  readable: true,
  ...unused,
  writable: true,
  unique: true,
  operators: externalIdOperators,
  include: INCLUDE_EXTERNAL_IDS,
}

function describeAttribute(resource: Resource, name: string, attribute: Attribute): AttributeSchema {
  const known = { readable: true, ...unused, operators: operatorsOf(resource, name) }
  const sortable = sortNames(resource).includes(name)
  switch (attribute.kind) {
    case 'text':
      return { type: 'text', ...known, writable: true, sortable, required: true }
    case 'reference':
      return { type: 'reference', ...known, writable: true, to: attribute.to, relation: relationBy(resource, name) }
    case 'source':
      return { type: 'choice', ...known, sortable, values: creationSources }
    case 'time':
      return { type: 'time', ...known, sortable }
  }
}

/** The relation that a column holds. */
function relationBy({ relations }: Resource, column: string): string {
  const found = Object.entries(relations).find(([, one]) => one.kind === 'reference' && one.column === column)
  if (!found) throw new Error(`No relation has the column ${column}.`)
  return found[0]
}

function operatorsOf(resource: Resource, name: string): readonly string[] {
  return resource.filterables.get(name)?.operators ?? []
}

/** Attributes that filters accept, but records do not have. */
function computedOf(resource: Resource): [string, AttributeSchema][] {
  return [...resource.filterables.values()].flatMap(({ name, kind, operators }) =>
    kind === 'computed' ? [[name, { type: 'boolean', readable: false, ...unused, operators }]] : [],
  )
}

function relationsOf(resource: Resource): [string, RelationSchema][] {
  const referring = Object.entries(resource.relations).flatMap(([name, relation]) =>
    relation.kind === 'field' ? [declareRelation(name, relation)] : [],
  )
  return [...resource.filterables.values(), ...referring].flatMap((filterable): [string, RelationSchema][] => {
    if (!('relation' in filterable)) return []
    const { name, relation, operators, kind } = filterable
    const includable = relation.kind !== 'linking'
    const key = includable ? keyOf(resource, name, relation) : undefined
    const described: RelationSchema = {
      type: relation.to,
      many: !includable || isToMany(relation),
      includable,
      nested_conditions: kind === 'record',
      ...unused,
      writable: key !== undefined,
      operators,
      ...(key === undefined ? {} : { written_as: key }),
    }
    return [[name, described]]
  })
}

/** The attribute or list of ids that writes a relation. */
function keyOf(resource: Resource, name: string, relation: Relation): string | undefined {
  if (relation.kind === 'field') return 'custom_fields'
  if (relation.kind === 'reference') return relation.column in resource.references ? relation.column : undefined
  return Object.entries(resource.links).find(([, link]) => link.relation === name)?.[0]
}

function countsOf({ counts }: Resource): [string, CountSchema][] {
  return Object.entries(counts).map(([include, { attribute }]) => [attribute, { type: 'integer', include, ...unused }])
}

function describeField(field: FieldDefinition): CustomFieldSchema {
  const { operators, hosts, sortable, textLike } = fieldTypes[field.type]
  const { code: _code, entity_type: _entity_type, ...attributes } = presentField(field)
  return {
    id: field.id,
    ...attributes,
    options: field.options,
    writable: true,
    sortable,
    operators,
    matchable: field.unique && textLike,
    parts: hosts ? { domain: hostOperators } : {},
  }
}
