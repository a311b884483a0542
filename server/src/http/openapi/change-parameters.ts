import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { CHANGES_LIMIT_DEFAULT, CHANGES_LIMIT_MAX, WAIT_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { inHeader, inQuery, joined } from './parameter.ts'
import { constant, enumOf, is, mapped, type Schema } from './schema.ts'

/** The parameters of the changes feed. */
export const changeParameters: Record<string, Schema> = {
  FeedCursor: inQuery(
    'cursor',
    '`start` for everything, `now` for what comes next, or the `meta.next_cursor` of an earlier response. One of `cursor` and `since` is required.',
    { schema: { type: 'string', maxLength: 512 }, example: 'start' },
  ),
  Since: inQuery('since', 'Begins with the first change at this time or later.', {
    schema: { type: 'string', format: 'date-time' },
  }),
  FeedResources: inQuery('resource', 'Only changes of these, joined by commas.', joined(enumOf(feedResources))),
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
  Payload: inQuery('payload', '`thin`: without the records.', {
    schema: { type: 'string', enum: ['full', 'thin'], default: 'full' },
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
      properties: mapped([...resourceNames, 'users'], () => is.text),
      additionalProperties: false,
    },
    style: 'deepObject',
    explode: true,
  }),
}
