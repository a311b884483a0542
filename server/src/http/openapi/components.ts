import { batchComponents, mergedInto } from '@kith/contract/batch'
import { changeComponents } from '@kith/contract/changes/change-entry'
import { undoComponents } from '@kith/contract/changes/undo'
import { commentComponents } from '@kith/contract/comment'
import { fieldChangeComponents, fieldComponents } from '@kith/contract/field-definition'
import { fileComponents } from '@kith/contract/file'
import { historyComponents } from '@kith/contract/history-entry'
import { jobComponents } from '@kith/contract/jobs'
import { MATCHES_MAX } from '@kith/contract/limits'
import { mergeComponents, newMerge } from '@kith/contract/merge'
import { notificationComponents } from '@kith/contract/notifications'
import type { Resource, Schema as Resources } from '@kith/contract/resource'
import { schemaComponents } from '@kith/contract/schema'
import * as is from '@kith/contract/shape'
import { summaryComponents } from '@kith/contract/summary'
import { tokenComponents } from '@kith/contract/token-attributes'
import { eventComponents } from '@kith/contract/webhooks/event'
import { webhookComponents } from '@kith/contract/webhooks/webhook'
import { namedSchema } from './body-schemas.ts'
import { isGeneral, oneOf } from './schema.ts'

/** The schemas of everything that is no record, by name. Each noun is declared in the contract. */
export function nounSchemas(resources: Resources): Record<string, is.Schema> {
  const records = [...[...resources.values()].map(oneOf), ...(isGeneral(resources) ? ['OwnRecord'] : [])]
  return {
    ...fieldComponents,
    UserList: is.pageOf('User'),
    ...tokenComponents,
    ...mergeComponents,
    ...historyComponents,
    AnyDocument: {
      anyOf: [...records, 'File', 'Comment'].map((one) => is.named(`${one}Document`)),
    },
    ...Object.fromEntries([...resources.values()].flatMap(mergeOf)),
    ...changeComponents,
    ...undoComponents,
    ...commentComponents,
    ...fileComponents,
    ...summaryComponents,
    ...batchComponents,
    ...jobComponents,
    ...notificationComponents,
    ...schemaComponents,
    ...fieldChangeComponents,
    ...webhookComponents,
    ...eventComponents,
  }
}

function mergeOf(resource: Resource): [string, is.Schema][] {
  const one = oneOf(resource)
  return [
    [`${one}Merge`, is.sentSchema(newMerge({ loser: namedSchema(resource.type), changes: is.named(`${one}Update`) }))],
    [`${one}Merged`, is.closed({ data: is.named(one), meta: is.shownSchema({ merge_id: is.id() }) })],
  ]
}

/** The bodies of all errors. */
export function errorSchemas(): Record<string, is.Schema> {
  const message = is.text({ says: 'What went wrong, in a sentence.' })
  const says = `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`
  const matching = { minItems: 2, maxItems: MATCHES_MAX, says }
  const merged = is.maybe(is.given(is.named('MergedInto')))
  const changed = 'When the record was last changed. Null if no record or several records hold the value.'
  const expensive =
    'Which parts of the query are expensive, by path, the most expensive first. Missing where the database was away.'
  return {
    Error: is.shownSchema({ message }),
    NotFoundError: is.shownSchema(
      { message, merged_into: merged },
      { says: 'The `merged_into` is there if the record was merged into a live one.' },
    ),
    MergedInto: is.shownSchema(mergedInto),
    PausedError: is.shownSchema({
      message,
      upgrade_url: is.text({ format: 'uri', says: 'Where the owner can start a subscription.' }),
    }),
    ConflictError: is.shownSchema({ message, matches: is.maybe(is.list(is.id(), matching)) }),
    PreconditionError: is.shownSchema({
      message,
      updated_at: is.orNull(is.text({ format: 'date-time', says: changed })),
      matches: is.maybe(is.list(is.id(), { ...matching, minItems: 1 })),
    }),
    ValidationError: is.shownSchema({
      message: is.text({ says: 'The first problem, and how many more there are.' }),
      errors: is.given({
        type: 'object',
        description: 'Every problem by the dotted path of what has it, such as `custom_fields.emails.0`.',
        additionalProperties: is.list(is.text(), { minItems: 1 }).schema,
        minProperties: 1,
      }),
    }),
    SlowError: is.shownSchema({ message, expensive: is.maybe(is.list(is.text(), { says: expensive })) }),
    ServerError: is.shownSchema({
      message: is.word(['Server Error']),
      request_id: is.text({ says: 'The `X-Request-Id` of the request, for the operator of the service.' }),
    }),
  }
}
