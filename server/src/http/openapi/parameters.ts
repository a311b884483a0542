import { certainties } from '@kith/contract/certainty'
import {
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEY_MAX,
  PAGE_MAX,
  PER_PAGE_DEFAULT,
  PER_PAGE_MAX,
  SEARCH_QUERY_MAX,
} from '@kith/contract/limits'
import { sortNames } from '@kith/contract/list-query'
import { registry, resources } from '@kith/contract/registry'
import {
  attributeNames,
  includedAttributeNames,
  includeNames,
  type RelatedType,
  type Resource,
  resourceNames,
} from '@kith/contract/resource'
import { changeParameters } from './change-parameters.ts'
import { eventParameters } from './event-operations.ts'
import { exportParameters } from './export-operation.ts'
import { jobParameters } from './job-schemas.ts'
import { listed, manyOf, oneOf } from './names.ts'
import { inHeader, inPath, inQuery, joined } from './parameter.ts'
import { sampleIds, sampleMergeId, sampleOf } from './sample-records.ts'
import { constant, enumOf, is, ref, type Schema } from './schema.ts'
import { schemaParameters } from './schema-operations.ts'
import { webhookParameters } from './webhook-schemas.ts'

/** Every parameter, by name. Operations take them up by reference. */
export function parameterParts(): Record<string, Schema> {
  return {
    Id: inPath('id', "The record's ID, in any letter case. What is no ID is not found.", {
      example: sampleIds.companies,
    }),
    MergeId: inPath('id', 'The ID of the merge, from `meta.merge_id` or the list.', { example: sampleMergeId }),
    ...paging,
    ...changeParameters,
    ...exportParameters,
    ...jobParameters,
    ...schemaParameters,
    ...webhookParameters,
    ...eventParameters,
    ...headerParameters,
    Certainty: inQuery('certainty', 'Which duplicates.', { schema: { ...enumOf(certainties), default: 'certain' } }),
    HistoryField: inQuery('field', 'Only what happened to this attribute, such as `name` or `custom_fields.<code>`.'),
    SearchQuery: inQuery('q', 'The words to search for.', {
      schema: { ...is.text, maxLength: SEARCH_QUERY_MAX },
      required: true,
      example: 'byron ada',
    }),
    InResource: inQuery('resource', 'Only the records of this resource.', { schema: enumOf(resourceNames) }),
    EntityType: inQuery('entity_type', 'Only the fields of this resource.', { schema: enumOf(resourceNames) }),
    ...Object.fromEntries(resources.flatMap(parametersOf)),
  }
}

/** The parameters that say how records are shown. */
export function shownParameters(resource: Resource): string[] {
  const many = manyOf(resource)
  return [`${many}Include`, `${many}Fields`, ...shownTypes(resource).map((type) => `${many}FieldsOf${type}`)]
}

const headerParameters = {
  IfMatch: inHeader(
    'If-Match',
    'Writes only if the record was not changed since: its `ETag`, or its `updated_at` in double quotes. Several are separated by commas; `*` means any. Only the part before `~` is compared. Otherwise 412.',
    { example: '"2026-11-14T09:30:00.125Z"' },
  ),
  IfNoneMatch: inHeader(
    'If-None-Match',
    'The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.',
    { example: '"2026-11-14T09:30:00.125Z~9c1f2a7b0d3e4f55"' },
  ),
  OnlyUpdate: inHeader('If-Match', '`*`: only updates a record that holds the value. If none does: 412.', {
    schema: constant('*'),
  }),
  OnlyCreate: inHeader('If-None-Match', '`*`: only creates a record. If one holds the value already: 412.', {
    schema: constant('*'),
  }),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    `Any text of your own. The same request with the same key within ${IDEMPOTENCY_HOURS} hours is not carried out again: it gets the stored response. With another request the key is refused (422). Only what succeeded is stored.`,
    {
      schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX, pattern: '^[ -~]+$' },
      example: '5f0c1d9e-8f1b-4f0e-9d63-6f6b1f0d2a11',
    },
  ),
}

const paging = {
  PerPage: inQuery('per_page', 'How many records a page has.', {
    schema: { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX, default: PER_PAGE_DEFAULT },
  }),
  Page: inQuery('page', 'Which page, unless `cursor` is sent.', {
    schema: { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: 1 },
  }),
  Cursor: inQuery(
    'cursor',
    'Reads a long list page by page and returns each record once, even if records change meanwhile. Send `true` for the first page, then the `meta.next_cursor` of the previous page, with the same `sort` and `filter`. To sort by a custom field, use `page` instead.',
  ),
}

function parametersOf(resource: Resource): [string, Schema][] {
  const many = manyOf(resource)
  const native = sortNames(resource, { list: [], byCode: new Map() })
  const sort = inQuery(
    'sort',
    'What to sort by, joined by commas; `-` in front means descending. Custom fields that hold one value are sorted by as `custom_fields.<code>`. Empty values come last.',
    joined(
      {
        anyOf: [
          enumOf(native.flatMap((name) => [name, `-${name}`])),
          { type: 'string', pattern: '^-?(custom_fields\\.)?[a-z][a-z0-9_]{0,49}$', title: 'custom field' },
        ],
      },
      { default: ['-created_at'] },
    ),
  )
  const include = inQuery(
    'include',
    'Related records, counts and external ids to include, joined by commas.',
    joined(enumOf(includeNames(resource))),
  )
  return [
    [`${many}Sort`, sort],
    [`${many}Include`, include],
    [`${many}Fields`, fieldsOf('fields', resource.type)],
    ...shownTypes(resource).map((type): [string, Schema] => [
      `${many}FieldsOf${type}`,
      fieldsOf(`fields[${type}]`, type),
    ]),
    [`${many}Filter`, filterOf(resource)],
  ]
}

function fieldsOf(name: string, type: RelatedType): Schema {
  const codes = type === 'users' ? '' : ', `custom_fields.<code>`'
  return inQuery(
    name,
    `Shows only these attributes of the \`${type}\`, joined by commas: ${listed(attributesOf(type))}${codes}.`,
    joined(is.text),
  )
}

function attributesOf(type: RelatedType): string[] {
  if (type === 'users') return ['name', 'email']
  return [...attributeNames(registry[type]), ...includedAttributeNames(registry[type])]
}

/** The type itself and those of its relations. */
function shownTypes({ type, relations }: Resource): RelatedType[] {
  return [...new Set([type, ...Object.values(relations).map((relation) => relation.to)])]
}

function filterOf(resource: Resource): Schema {
  return inQuery(
    'filter',
    'Conditions, written `filter[<name>][<operator>]=<value>` and, for custom fields, `filter[custom_fields][<code>][<operator>]=<value>`. Lists of choices and IDs are split on commas; repeat the parameter with `[]` to send several values of any kind. `$is_empty` also takes 1 and 0.',
    {
      // Not the reference itself: readers that write out every key of a deepObject would never come to an end.
      schema: { type: 'object', allOf: [ref(`${oneOf(resource.type)}Filter`)] },
      style: 'deepObject',
      explode: true,
      example: sampleOf(resource).shortFilter,
    },
  )
}
