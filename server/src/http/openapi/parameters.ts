import { certainties } from '@kith/contract/certainty'
import { namedResourcesOf, payloads, recordParts, storedKinds } from '@kith/contract/changes/change-kind'
import { exportFormats } from '@kith/contract/export-query'
import { outcomes } from '@kith/contract/jobs'
import {
  CHANGES_LIMIT_DEFAULT,
  CHANGES_LIMIT_MAX,
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEY_MAX,
  NAME_MAX,
  PAGE_MAX,
  PER_PAGE_DEFAULT,
  PER_PAGE_MAX,
  SEARCH_QUERY_MAX,
  WAIT_MAX,
} from '@kith/contract/limits'
import { sortNames } from '@kith/contract/list-query'
import {
  attributeNames,
  includedAttributeNames,
  includeNames,
  type RelatedType,
  type Resource,
  type Schema as Resources,
  resourceIn,
} from '@kith/contract/resource'
import { RESOURCE_CODE } from '@kith/contract/resource-code'
import { schemaFormats } from '@kith/contract/schema'
import { named, type Schema } from '@kith/contract/shape'
import { deliveryStates } from '@kith/contract/webhooks/webhook'
import { eventParameters } from './event-operations.ts'
import { sampleIds, sampleMergeId, sampleOf } from './sample-records.ts'
import {
  constant,
  enumOf,
  inHeader,
  inPath,
  inQuery,
  is,
  isGeneral,
  joined,
  listed,
  manyOf,
  mapped,
  oneOf,
} from './schema.ts'

/** Every parameter, by name. Operations refer to them. */
export function parameterParts(resources: Resources): Record<string, Schema> {
  const types = [...resources.keys()]
  return {
    Id: inPath('id', "The record's ID, in any letter case. Anything else than an ID is not found.", {
      example: sampleIds.companies,
    }),
    MergeId: inPath('id', 'The ID of the merge, from `meta.merge_id` or the list.', { example: sampleMergeId }),
    ChangeId: inPath('id', 'The ID of the change, from the feed, a history or a webhook.', { example: sampleMergeId }),
    CommentId: inPath('id', 'The ID of the comment.', { example: sampleMergeId }),
    FileId: inPath('id', 'The ID of the file.', { example: sampleMergeId }),
    NotificationId: inPath('id', 'The ID of the notification.', { example: sampleMergeId }),
    ...fileParameters,
    ...paging,
    ...changeParameters(resources),
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
    Unread: inQuery('unread', 'Only those that are not read yet.', { schema: is.flag }),
    InResource: inQuery('resource', 'Only the records of this resource.', { schema: enumOf(types) }),
    EntityType: inQuery('entity_type', 'Only the fields of this resource.', { schema: enumOf(types) }),
    ...Object.fromEntries([...resources.values()].flatMap(parametersOf)),
  }
}

/** The parameters that control how records are shown. */
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

const fileParameters = {
  FileName: inQuery('name', 'The name of the file, without control characters, `/` and `\\`.', {
    schema: { type: 'string', minLength: 1, maxLength: NAME_MAX },
    required: true,
    example: 'offer.pdf',
  }),
  Range: inHeader(
    'Range',
    'A part of the content, such as `bytes=0-1023`. Several parts at once are sent as a whole.',
    {
      example: 'bytes=0-1023',
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
  const names = enumOf(sortNames(resource).flatMap((name) => [name, `-${name}`]))
  const field = { type: 'string', pattern: '^-?(custom_fields\\.)?[a-z][a-z0-9_]{0,49}$', title: 'custom field' }
  const sort = inQuery(
    'sort',
    'What to sort by, joined by commas; `-` in front means descending. Custom fields that hold one value are sorted by as `custom_fields.<code>`. Empty values come last.',
    joined(isGeneral(resource.schema) ? { anyOf: [names, field] } : names, { default: ['-created_at'] }),
  )
  const include = inQuery(
    'include',
    'Related records, counts and external ids to include, joined by commas.',
    joined(enumOf(includeNames(resource))),
  )
  return [
    [`${many}Sort`, sort],
    [`${many}Include`, include],
    [`${many}Fields`, fieldsOf('fields', resource.type, resource.schema)],
    ...shownTypes(resource).map((type): [string, Schema] => [
      `${many}FieldsOf${type}`,
      fieldsOf(`fields[${type}]`, type, resource.schema),
    ]),
    [`${many}Filter`, filterOf(resource)],
  ]
}

function fieldsOf(name: string, type: RelatedType, resources: Resources): Schema {
  const codes = type === 'users' ? '' : ', `custom_fields.<code>`'
  return inQuery(
    name,
    `Shows only these attributes of the \`${type}\`, joined by commas: ${listed(attributesOf(type, resources))}${codes}.`,
    joined(is.text),
  )
}

function attributesOf(type: RelatedType, resources: Resources): string[] {
  if (type === 'users') return ['name', 'email']
  const resource = resourceIn(resources, type)
  return [...attributeNames(resource), ...includedAttributeNames(resource)]
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
      // Not the reference itself: tools that expand every key of a deepObject would recurse without end.
      schema: { type: 'object', allOf: [named(`${oneOf(resource)}Filter`)] },
      style: 'deepObject',
      explode: true,
      example: sampleOf(resource).shortFilter,
    },
  )
}

const changeParameters = (resources: Resources): Record<string, Schema> => ({
  FeedCursor: inQuery(
    'cursor',
    '`start` for everything, `now` for what comes next, or the `meta.next_cursor` of an earlier response. One of `cursor` and `since` is required.',
    { schema: { type: 'string', maxLength: 512 }, example: 'start' },
  ),
  Since: inQuery('since', 'Begins with the first change at this time or later.', {
    schema: { type: 'string', format: 'date-time' },
  }),
  FeedResources: inQuery(
    'resource',
    'Only changes of these, joined by commas. Those of `files` and `comments` come only if they are named.',
    joined(enumOf(namedResourcesOf(resources))),
  ),
  Kind: inQuery(
    'kind',
    'Only changes of these kinds, joined by commas. Snapshot entries are always returned.',
    joined(enumOf(storedKinds)),
  ),
  Changed: inQuery(
    'changed',
    'Leaves out updates that touched none of these: attributes, `custom_fields.<code>`, `external_ids`, `company_ids` and similar. A record that stops matching the filter still comes.',
    joined(is.text),
  ),
  ExcludeToken: inQuery('exclude_token', '`self`: without the changes that this token made.', {
    schema: constant('self'),
  }),
  Payload: inQuery('payload', '`thin`: without the records. `diff`: with `changes`, the values before and after.', {
    schema: { type: 'string', enum: payloads, default: 'full' },
  }),
  Compact: inQuery('compact', '`true`: folds the entries of a record into the last of them.', {
    schema: { type: 'boolean', default: false },
  }),
  FeedLimit: inQuery('limit', 'How many entries a response has. It may have fewer, and there may still be more.', {
    schema: { type: 'integer', minimum: 1, maximum: CHANGES_LIMIT_MAX, default: CHANGES_LIMIT_DEFAULT },
  }),
  Wait: inQuery('wait', 'How many seconds an empty response may wait for an entry.', {
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX, default: 0 },
  }),
  LastEventId: inHeader('Last-Event-ID', 'The id of the last event. It takes precedence over `cursor`.'),
  FieldsByType: inQuery('fields', 'Shows only these attributes of the records of a type: `fields[people]=name`.', {
    schema: {
      type: 'object',
      properties: mapped([...resources.keys(), 'users', ...recordParts], () => is.text),
      additionalProperties: false,
    },
    style: 'deepObject',
    explode: true,
  }),
})

/** The parameters that only exports take. */
const exportParameters: Record<string, Schema> = {
  ExportFormat: inQuery(
    'format',
    '`ndjson`: a record in the sync form on each line, and an end line. `csv`: a header row and a row for each record.',
    { schema: { ...enumOf(exportFormats), default: 'ndjson' } },
  ),
  After: inQuery(
    'after',
    'Only records after this ID: the one of the last complete line of an export that was cut off.',
    { schema: named('Id') },
  ),
}

const jobParameters: Record<string, Schema> = {
  JobId: inPath('id', 'The ID of the job.', { example: sampleIds.opportunities }),
  JobWait: inQuery('wait', 'How many seconds the response may wait until the state or the progress changes.', {
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX, default: 0 },
  }),
  ResultOutcome: inQuery('outcome', 'Only the rows with this outcome.', { schema: enumOf(outcomes) }),
  ResultFormat: inQuery(
    'format',
    '`csv`: the failed rows as they were, with a column `errors`, to fix and send again.',
    { schema: { type: 'string', enum: ['ndjson', 'csv'], default: 'ndjson' } },
  ),
}

const schemaParameters: Record<string, Schema> = {
  SchemaResource: inPath('resource', 'The code of the resource.', {
    schema: { type: 'string', pattern: RESOURCE_CODE },
    example: 'companies',
  }),
  FieldCode: inPath('code', 'The code of the field.', { example: 'tier' }),
  OptionId: inPath('option_id', 'The ID of the option.', { example: '01kb8w5e6f7g8h9j0k1m2n3p4q' }),
  SchemaFormat: inQuery('format', '`json-schema`: JSON Schema 2020-12 of records in the sync form.', {
    schema: enumOf(schemaFormats),
  }),
  SchemaArchived: inQuery('archived', '`true`: own resources that are archived, too.', {
    schema: { type: 'boolean', default: false },
  }),
  Permanently: inQuery(
    'permanently',
    'Deletes what is archived for good: a field with its values, a resource with its records.',
    {
      schema: { type: 'boolean', default: false },
    },
  ),
  SchemaIfNoneMatch: inHeader(
    'If-None-Match',
    'The `ETag` of an earlier response. If the definitions have not changed, the response is 304.',
    { example: '"17"' },
  ),
  FieldIfMatch: inHeader(
    'If-Match',
    'Writes only if the field was not changed since: its `ETag`, or its `updated_at` in double quotes. Otherwise 412.',
    { example: '"2026-11-14T09:30:00.125Z"' },
  ),
}

const webhookParameters: Record<string, Schema> = {
  WebhookId: inPath('id', 'The ID of the webhook.', { example: sampleIds.opportunities }),
  DeliveryId: inPath('delivery_id', 'The ID of the delivery.', { example: sampleIds.tasks }),
  DeliveryState: inQuery('state', 'Only deliveries in this state.', { schema: enumOf(deliveryStates) }),
  DeliveryRecord: inQuery('record_id', 'Only deliveries of this record.'),
}
