import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { CHANGES_LIMIT_MAX } from '@kith/contract/limits'
import { closed, constant, enumOf, is, orNull, ref, type Schema, says } from './schema.ts'

/** The changes feed. */
export function changeSchemas(): Record<string, Schema> {
  return {
    Change: closed({ id: ref('Id'), type: constant('changes'), attributes: ref('ChangeAttributes') }),
    ChangeAttributes: closed(changeAttributes(), { required: requiredOfChanges }),
    ChangeOrigin: closed({
      source: enumOf(['web', 'api', 'mcp', 'import', 'cli', 'sample']),
      actor_id: orNull(ref('Id')),
      token_id: orNull(is.text),
      own: says(is.flag, 'Whether the token of the request made the change.'),
    }),
    SyncForm: closed(
      {
        id: ref('Id'),
        type: enumOf(feedResources),
        attributes: { type: 'object', description: 'As the record shows them, with `external_ids`.' },
        relationships: {
          type: 'object',
          additionalProperties: closed({ data: { type: 'array', items: closed({ id: ref('Id'), type: is.text }) } }),
          description: 'The links of tasks and notes. Members who have left are still in it.',
        },
      },
      { required: ['id', 'type', 'attributes'] },
    ),
    ChangeList: closed({
      data: { type: 'array', items: ref('Change'), maxItems: CHANGES_LIMIT_MAX },
      meta: closed({
        next_cursor: is.text,
        has_more: says(is.flag, 'False if everything has been read.'),
        phase: enumOf(['snapshot', 'live']),
        head: says(is.whole, 'The highest sequence of the workspace.'),
      }),
    }),
    GoneError: closed({
      message: is.text,
      reason: enumOf(['expired', 'restored']),
      oldest_at: orNull(ref('Timestamp')),
      resync: { type: 'string', format: 'uri', description: 'Where to begin again.' },
    }),
  }
}

/** The attributes that every entry has. */
export const requiredOfChanges = [
  ...['sequence', 'kind', 'resource', 'record_id', 'at', 'changed', 'merged_into', 'external_ids', 'origin'],
]

/** The attributes of an entry. */
export function changeAttributes(): Record<string, Schema> {
  return {
    sequence: says(
      orNull({ type: 'integer', minimum: 1 }),
      'The number of the change, without gaps. Null in a snapshot.',
    ),
    kind: enumOf([...storedKinds, 'snapshot', 'left']),
    resource: enumOf(feedResources),
    record_id: ref('Id'),
    at: says(ref('Timestamp'), 'The `updated_at` of the record after the change.'),
    changed: { type: 'array', items: is.text, description: 'What an update changed, sorted.' },
    merged_into: says(orNull(ref('Id')), 'The record that it was merged into.'),
    external_ids: { type: 'object', additionalProperties: { type: 'array', items: is.text } },
    origin: orNull(ref('ChangeOrigin')),
    record: says(
      orNull(ref('SyncForm')),
      'The record as it is now. Null if it is gone or no longer matches. Missing in a thin entry.',
    ),
  }
}
