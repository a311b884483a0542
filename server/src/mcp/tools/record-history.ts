import { AUDIT_DAYS } from '@kith/contract/limits'
import { readHistory } from '../../audit/history.ts'
import { reads } from '../annotations.ts'
import { idSchema } from '../record-schemas.ts'
import { listOf, object, pageArguments, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

const string = { type: 'string' }
const orNull = { type: ['string', 'null'] }

const change = object({
  field: string,
  label: string,
  before: { description: 'The value before. Of lists of links: the IDs that were removed.' },
  after: { description: 'The value after. Of lists of links: the IDs that were added.' },
  truncated: { type: 'boolean', description: 'Whether a long value was cut.' },
})

const entry = object({
  id: string,
  record_id: { ...string, description: 'Another ID if that record was merged into this one.' },
  at: string,
  action: { ...string, description: 'create, update, delete, restore, merge or undo_merge.' },
  origin: object({ source: string, actor_id: orNull, token_id: orNull, own: { type: 'boolean' } }),
  actor_name: orNull,
  token_name: orNull,
  changes: listOf(change, 'What changed.'),
})

export const recordHistoryTool: Tool = {
  name: 'record_history',
  title: 'Read the history of a record',
  description:
    `Who changed what of a record, and when, latest first; kept for ${AUDIT_DAYS} days. To find out where a value ` +
    'comes from, send its attribute as field: the first entry set it.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      id: idSchema,
      field: text('Only what happened to this attribute, such as name or custom_fields.stage.'),
      cursor: text('The next_cursor of the previous page.'),
      per_page: pageArguments().per_page,
    },
    ['field', 'cursor', 'per_page'],
  ),
  output: object({
    data: listOf(entry, 'Latest first.'),
    next_cursor: { ...orNull, description: 'The cursor of the next page; null on the last.' },
  }),
  async run(scope, { field, cursor, per_page, ...input }) {
    const asked = { id: textIn(input, 'id'), raw: { field, cursor, per_page } }
    const { data, next_cursor } = await readHistory(scope, resourceIn(input), asked)
    return { data, next_cursor }
  },
}
