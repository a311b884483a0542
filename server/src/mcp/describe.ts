import { creationSources } from '@kith/contract/creation-source'
import { externalIdOperators } from '@kith/contract/external-ids-filter'
import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { filterables } from '@kith/contract/filterable'
import { NAME_MAX } from '@kith/contract/limits'
import { attributesOf, EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { sortNames } from '@kith/contract/sort'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'

type Described = ReturnType<typeof described>

/** What a caller needs to read, filter and write records of a resource in this workspace. */
export async function describeResource(scope: Scope, resource: Resource): Promise<Described> {
  requireAbilities(scope, ['read'])
  return described(resource, await definitionsOf(scope))
}

function described(resource: Resource, definitions: Definitions) {
  const fields = definitions[resource.type]
  const matching = fields.list.filter((field) => field.unique && fieldTypes[field.type].textLike)
  return {
    resource: resource.type,
    one: resource.one,
    attributes: describeAttributes(resource),
    relations: relationsOf(resource),
    counts: Object.keys(resource.counts),
    custom_fields: fields.list.map(describeField),
    sort: sortNames(resource, fields),
    upsert_match: [...matching.map(({ code }) => code), `${EXTERNAL_IDS}.<namespace>`],
    examples: examplesFor(resource, fields.list),
  }
}

const SOURCES = `how the record was created: ${creationSources.slice(0, -1).join(', ')} or ${creationSources.at(-1)}`

const IDS =
  'ids of other systems: an object of lists by namespace, such as {"salesforce": ["001A"]}. Sent: one id or a list ' +
  'for each namespace; an absent one stays, null clears. Read with include: externalIds. Filters name the namespace: ' +
  '{"external_ids": {"salesforce": {"$has_any": ["001A"]}}}'

type DescribedAttribute = { name: string; type: string; written: boolean; read: boolean; operators: string[] }

function describeAttributes(resource: Resource): DescribedAttribute[] {
  const operatorsOf = (name: string) => [...(filterables(resource).find((one) => one.name === name)?.operators ?? [])]
  const own = (name: string, type: string, { written = false, read = true } = {}) => {
    return { name, type, written, read, operators: operatorsOf(name) }
  }
  return [
    own('id', 'ID, set by the service'),
    own(resource.label, `text of 1 to ${NAME_MAX} characters, required`, { written: true }),
    ...Object.entries(resource.references).map(([name, { to }]) =>
      own(name, `ID of one of ${to}, or null`, { written: true }),
    ),
    ...Object.entries(resource.links).map(([name, { to, relation }]) =>
      own(name, `list of IDs of ${to}; read it as the relation ${relation}`, { written: true, read: false }),
    ),
    { name: EXTERNAL_IDS, type: IDS, written: true, read: true, operators: [...externalIdOperators] },
    ...attributesOf(resource, 'source').map((name) => own(name, SOURCES)),
    ...attributesOf(resource, 'time').map((name) => own(name, 'UTC time, ISO 8601')),
    ...(resource.assignable ? [own('assigned_to_me', 'true or false, in filters only', { read: false })] : []),
  ]
}

function relationsOf(resource: Resource) {
  return filterables(resource).flatMap((filterable) => {
    if (!('relation' in filterable)) return []
    const { name, relation, operators, kind } = filterable
    const included = relation.kind !== 'linking'
    const many = relation.kind !== 'reference'
    return [{ name, to: relation.to, many, operators: [...operators], nested_conditions: kind === 'record', included }]
  })
}

function describeField(field: FieldDefinition) {
  const { operators, hosts, sortable, example } = fieldTypes[field.type]
  const { value, filter } = example(field)
  return {
    code: field.code,
    name: field.name,
    type: field.type,
    description: field.description,
    required: field.required,
    unique: field.unique,
    multiple: field.multiple,
    max_values: field.max_values,
    options: field.options.map(({ id, label }) => ({ id, label })),
    settings: field.settings,
    operators: hosts ? [...operators, 'domain ($in, $not_in)'] : [...operators],
    sortable,
    example_value: value,
    example_filter: { custom_fields: { [field.code]: filter } },
  }
}

function examplesFor(resource: Resource, fields: readonly FieldDefinition[]) {
  const few = fields.slice(0, 3)
  const custom_fields = Object.fromEntries(
    few.map((field) => [field.code, fieldTypes[field.type].example(field).value]),
  )
  const [first] = few
  const about = first ? { custom_fields: { [first.code]: fieldTypes[first.type].example(first).filter } } : {}
  return {
    create_record: { resource: resource.type, attributes: { [resource.label]: 'Acme', custom_fields } },
    list_records: {
      resource: resource.type,
      filter: { [resource.label]: { $contains: 'acme' }, ...about },
      sort: '-updated_at',
      include: Object.keys(resource.relations).slice(1, 2),
    },
  }
}
