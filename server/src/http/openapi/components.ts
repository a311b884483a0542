import {
  anyOperation,
  batchMeta,
  batchResult,
  lidReference,
  mergedInto,
  newBatch,
  operation,
} from '@kith/contract/batch'
import { changeEntry, feedMeta, syncForm } from '@kith/contract/changes/change-entry'
import {
  customField,
  fieldChanges,
  fieldOption,
  fieldOrder,
  fieldSettings,
  fixedKeys,
  newField,
  newOption,
  option,
  optionChange,
} from '@kith/contract/field-definition'
import { historyEntry, origin } from '@kith/contract/history-entry'
import { job, newImport } from '@kith/contract/jobs'
import { BATCH_MAX, CHANGES_LIMIT_MAX, FIELDS_PER_RESOURCE_MAX, MATCHES_MAX, PER_PAGE_MAX } from '@kith/contract/limits'
import { duplicate, merge, newMerge, searchResult, trashed } from '@kith/contract/merge'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import { attributeSchema, countSchema, customFieldSchema, relationSchema, resourceSchema } from '@kith/contract/schema'
import {
  changeSchema,
  closed,
  given,
  id,
  list,
  maybe,
  named,
  orNull,
  type Schema,
  type Shapes,
  sentSchema,
  shownSchema,
  text,
  time,
  whole,
  word,
} from '@kith/contract/shape'
import { tokenAttributes, tokenLimits } from '@kith/contract/token-attributes'
import { events } from '@kith/contract/webhooks/event'
import {
  delivery,
  newWebhook,
  replays,
  rotation,
  webhook,
  webhookChanges,
  webhookSecret,
} from '@kith/contract/webhooks/webhook'
import { namedSchema } from './body-schemas.ts'
import { mapped, oneOf } from './schema.ts'

/** The schemas of everything that is no record, from the declarations of the contract, by name. */
export function nounSchemas(): Record<string, Schema> {
  return {
    UserList: pageOf('User'),
    ...nounOf('Token', 'tokens', { attributes: named('TokenAttributes') }),
    TokenAttributes: shownSchema(tokenAttributes),
    TokenLimits: tokenLimits.schema,
    TokenDocument: documentOf('Token'),
    ...mergeSchemas(),
    ...changeSchemas(),
    ...batchSchemas(),
    ImportCreate: sentSchema(newImport),
    ...nounOf('Job', 'jobs', { shown: job }),
    JobDocument: documentOf('Job'),
    JobList: pageOf('Job'),
    ...fieldSchemas(),
    WebhookCreate: sentSchema(newWebhook),
    WebhookUpdate: changeSchema(webhookChanges),
    WebhookRotate: changeSchema(rotation),
    WebhookReplay: { oneOf: replays.map((shapes) => sentSchema(shapes)) },
    ReplayDocument: closed({ meta: shownSchema({ count: whole() }) }),
    ...nounOf('Webhook', 'webhooks', { shown: webhook }),
    ...nounOf('WebhookWithSecret', 'webhooks', { shown: { ...webhook, ...webhookSecret } }),
    WebhookDocument: documentOf('Webhook'),
    WebhookSecretDocument: documentOf('WebhookWithSecret'),
    WebhookList: pageOf('Webhook'),
    ...nounOf('Delivery', 'deliveries', { shown: delivery }),
    DeliveryDocument: documentOf('Delivery'),
    DeliveryList: pageOf('Delivery'),
    ...mapped(Object.keys(events), (name) => shownSchema(events[name as keyof typeof events])),
    ...errorSchemas(),
  }
}

/** An object of JSON:API. */
function nounOf(
  name: string,
  type: string,
  {
    shown = {},
    attributes = shownSchema(shown),
    ids = named('Id'),
  }: { shown?: Shapes; attributes?: Schema; ids?: Schema },
): Record<string, Schema> {
  return { [name]: closed({ id: ids, type: word([type]).schema, attributes }) }
}

/** An object of JSON:API, and a page of them. */
function listedNoun(name: string, type: string, shown: Shapes): Record<string, Schema> {
  return { ...nounOf(name, type, { shown, ids: text().schema }), [`${name}List`]: pageOf(name) }
}

export function documentOf(name: string): Schema {
  return closed({ data: named(name) })
}

/** A page of a list that has no cursor. */
function pageOf(name: string): Schema {
  return closed({ data: listSchema(name, PER_PAGE_MAX), links: named('PageLinks'), meta: named('PageMeta') })
}

function listSchema(name: string, maxItems: number): Schema {
  return { type: 'array', items: named(name), maxItems }
}

function mergeSchemas(): Record<string, Schema> {
  return {
    ...listedNoun('Merge', 'merges', merge),
    ...listedNoun('SearchResult', 'search_results', searchResult),
    ...listedNoun('Trashed', 'trash', trashed),
    ...listedNoun('Duplicate', 'duplicates', duplicate),
    ...nounOf('History', 'history', {
      shown: historyEntry,
      ids: named('Id', 'The ID of the change in the feed, if it has one.'),
    }),
    HistoryList: closed({
      data: listSchema('History', PER_PAGE_MAX),
      links: named('CursorLinks'),
      meta: named('CursorMeta'),
    }),
    AnyDocument: { anyOf: Object.values(registry).map(({ type }) => named(`${oneOf(type)}Document`)) },
    ...Object.fromEntries(Object.values(registry).flatMap(mergeOf)),
  }
}

function mergeOf({ type }: Resource): [string, Schema][] {
  const one = oneOf(type)
  return [
    [`${one}Merge`, sentSchema(newMerge({ loser: namedSchema(type), changes: named(`${one}Update`) }))],
    [`${one}Merged`, closed({ data: named(one), meta: shownSchema({ merge_id: id() }) })],
  ]
}

function changeSchemas(): Record<string, Schema> {
  return {
    ...nounOf('Change', 'changes', { attributes: named('ChangeAttributes') }),
    ChangeAttributes: shownSchema(changeEntry),
    ChangeOrigin: origin.schema,
    SyncForm: syncForm,
    ChangeList: closed({ data: listSchema('Change', CHANGES_LIMIT_MAX), meta: feedMeta.schema }),
    GoneError: shownSchema({
      message: text(),
      reason: word(['expired', 'restored']),
      oldest_at: orNull(time()),
      resync: text({ format: 'uri', says: 'Where to begin again.' }),
    }),
  }
}

function batchSchemas(): Record<string, Schema> {
  return {
    Lid: shownSchema(lidReference, { says: 'The record of an earlier operation of the batch.' }),
    Batch: sentSchema(newBatch(anyOperation)),
    ResourceBatch: sentSchema(newBatch(operation)),
    BatchResult: shownSchema(batchResult),
    BatchResults: closed({ data: { ...listSchema('BatchResult', BATCH_MAX), minItems: 1 }, meta: batchMeta.schema }),
  }
}

const READ_ONLY = {
  readOnly: true,
  description: 'Accepted as it is, so that what was read can be sent back. It cannot be changed.',
}

/** The schemas of the records of a workspace, and its custom fields. */
function fieldSchemas(): Record<string, Schema> {
  const changes = changeSchema(fieldChanges, 'What is absent is kept; `null` clears.')
  const list = { type: 'array', items: named('CustomField'), maxItems: FIELDS_PER_RESOURCE_MAX }
  const duplicates = 'If the request made the field unique: how many values are in more than one record.'
  return {
    ...nounOf('CustomField', 'custom_fields', { attributes: named('CustomFieldAttributes') }),
    CustomFieldAttributes: shownSchema(customField),
    CustomFieldOption: fieldOption.schema,
    CustomFieldSettings: shownSchema(fieldSettings, { says: 'The settings of its type.' }),
    CustomFieldList: pageOf('CustomField'),
    CustomFieldOrder: closed({ data: list }),
    CustomFieldDocument: closed(
      { data: named('CustomField'), meta: shownSchema({ duplicates: whole({ says: duplicates }) }) },
      { required: ['data'] },
    ),
    FieldCreate: sentSchema(newField),
    // A closed schema has properties.
    FieldUpdate: {
      ...changes,
      properties: { ...(changes.properties as object), ...mapped(fixedKeys, () => READ_ONLY) },
    },
    FieldOrder: sentSchema(fieldOrder),
    OptionCreate: sentSchema(newOption),
    OptionUpdate: changeSchema(optionChange, 'What is absent is kept. The ID of the option stays.'),
    OptionDocument: closed({ data: nounOf('Option', 'options', { shown: option }).Option ?? {} }),
    ...nounOf('ResourceSchema', 'schemas', { shown: resourceSchema, ids: word(resourceNames).schema }),
    ResourceSchemaDocument: documentOf('ResourceSchema'),
    ResourceSchemaList: closed({ data: listSchema('ResourceSchema', resourceNames.length) }),
    AttributeSchema: shownSchema(attributeSchema),
    RelationSchema: shownSchema(relationSchema),
    CountSchema: shownSchema(countSchema),
    CustomFieldSchema: shownSchema(customFieldSchema),
    JsonSchema: {
      type: 'object',
      description: 'With `format=json-schema`: a JSON Schema 2020-12 of records in the sync form.',
      properties: { $schema: text().schema, $id: text().schema },
      required: ['$schema', '$id'],
    },
  }
}

/** The bodies of all errors. */
function errorSchemas(): Record<string, Schema> {
  const message = text({ says: 'What went wrong, in a sentence.' })
  const says = `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`
  const matching = { minItems: 2, maxItems: MATCHES_MAX, says }
  const merged = maybe(given(named('MergedInto')))
  const changed = 'When the record was last changed. Null if no record or several records hold the value.'
  const expensive =
    'Which parts of the query are expensive, by path, the most expensive first. Missing where the database was away.'
  return {
    Error: shownSchema({ message }),
    NotFoundError: shownSchema(
      { message, merged_into: merged },
      { says: 'The `merged_into` is there if the record was merged into a live one.' },
    ),
    MergedInto: shownSchema(mergedInto),
    PausedError: shownSchema({
      message,
      upgrade_url: text({ format: 'uri', says: 'Where the owner can start a subscription.' }),
    }),
    ConflictError: shownSchema({ message, matches: maybe(list(id(), matching)) }),
    PreconditionError: shownSchema({
      message,
      updated_at: orNull(text({ format: 'date-time', says: changed })),
      matches: maybe(list(id(), { ...matching, minItems: 1 })),
    }),
    ValidationError: shownSchema({
      message: text({ says: 'The first problem, and how many more there are.' }),
      errors: given({
        type: 'object',
        description: 'Every problem by the dotted path of what has it, such as `custom_fields.emails.0`.',
        additionalProperties: list(text(), { minItems: 1 }).schema,
        minProperties: 1,
      }),
    }),
    SlowError: shownSchema({ message, expensive: maybe(list(text(), { says: expensive })) }),
    ServerError: shownSchema({
      message: word(['Server Error']),
      request_id: text({ says: 'The `X-Request-Id` of the request, for the operator of the service.' }),
    }),
  }
}
