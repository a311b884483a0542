import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { CHANGES_LIMIT_MAX } from '@kith/contract/limits'
import { closed, orNull, ref, type Schema } from './schema.ts'

const text: Schema = { type: 'string' }

/** The changes feed. */
export function changeSchemas(): Record<string, Schema> {
  return {
    Change: closed({ id: ref('Id'), type: { type: 'string', const: 'changes' }, attributes: ref('ChangeAttributes') }),
    ChangeAttributes: closed(changeAttributes(), { required: requiredOfChanges }),
    ChangeOrigin: closed({
      source: { type: 'string', enum: ['web', 'api', 'mcp', 'import', 'cli', 'sample'] },
      actor_id: orNull(ref('Id')),
      token_id: orNull(text),
      own: { type: 'boolean', description: 'Whether the token of the request made the change.' },
    }),
    SyncForm: closed(
      {
        id: ref('Id'),
        type: { type: 'string', enum: feedResources },
        attributes: { type: 'object', description: 'As the record shows them, with `external_ids`.' },
        relationships: {
          type: 'object',
          additionalProperties: closed({ data: { type: 'array', items: closed({ id: ref('Id'), type: text }) } }),
          description: 'The links of tasks and notes. Members who have left are still in it.',
        },
      },
      { required: ['id', 'type', 'attributes'] },
    ),
    ChangeList: closed({
      data: { type: 'array', items: ref('Change'), maxItems: CHANGES_LIMIT_MAX },
      meta: closed({
        next_cursor: text,
        has_more: { type: 'boolean', description: 'False if everything has been read.' },
        phase: { type: 'string', enum: ['snapshot', 'live'] },
        head: { type: 'integer', minimum: 0, description: 'The highest sequence of the workspace.' },
      }),
    }),
    GoneError: closed({
      message: text,
      reason: { type: 'string', enum: ['expired', 'restored'] },
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
    sequence: {
      ...orNull({ type: 'integer', minimum: 1 }),
      description: 'The number of the change, without gaps. Null in a snapshot.',
    },
    kind: { type: 'string', enum: [...storedKinds, 'snapshot', 'left'] },
    resource: { type: 'string', enum: feedResources },
    record_id: ref('Id'),
    at: { ...ref('Timestamp'), description: 'The `updated_at` of the record after the change.' },
    changed: { type: 'array', items: text, description: 'What an update changed, sorted.' },
    merged_into: { ...orNull(ref('Id')), description: 'The record that it was merged into.' },
    external_ids: { type: 'object', additionalProperties: { type: 'array', items: text } },
    origin: orNull(ref('ChangeOrigin')),
    record: {
      ...orNull(ref('SyncForm')),
      description: 'The record as it is now. Null if it is gone or no longer matches. Missing in a thin entry.',
    },
  }
}
