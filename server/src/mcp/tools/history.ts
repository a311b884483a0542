import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { AUDIT_DAYS } from '@kith/contract/limits'
import { readHistory } from '../../audit/history.ts'
import { listChanges } from '../../changes/feed.ts'
import { idSchema } from '../record-arguments.ts'
import { object, pageArguments, resourceSchema, text } from '../schema.ts'
import { reads, type Tool } from '../tool.ts'
import { parametersIn, resourceIn, textIn } from '../tool-input.ts'

export const recordHistoryTool: Tool = {
  name: 'record_history',
  title: 'Read the history of a record',
  description:
    `Who changed what of a record and when, latest first, for ${AUDIT_DAYS} days. With field: where a value ` +
    'comes from.',
  ...reads,
  input: object(
    { resource: resourceSchema, id: idSchema },
    {
      field: text('Only this attribute, such as custom_fields.stage.'),
      cursor: text('The next_cursor of the previous page.'),
      per_page: pageArguments().per_page,
    },
  ),
  async run(scope, { field, cursor, per_page, ...input }) {
    const asked = { id: textIn(input, 'id'), raw: { field, cursor, per_page } }
    const { data, next_cursor } = await readHistory(scope, resourceIn(input), asked)
    return { data, next_cursor }
  },
}

const parameters = ['cursor', 'since', 'resource', 'kind', 'payload', 'limit']

export const listChangesTool: Tool = {
  name: 'list_changes',
  title: 'List changes',
  description:
    'What changed in the workspace since a time or cursor, oldest first, each record once. Continue with ' +
    'next_cursor while has_more. For one record use record_history.',
  ...reads,
  input: object(
    {},
    {
      since: text('A time, such as 2026-11-14T09:00:00Z, or send cursor.'),
      cursor: text('The next_cursor of an earlier call, or now.'),
      resource: text(`Names joined by commas, of: ${feedResources.join(', ')}.`),
      kind: text(`Names joined by commas, of: ${storedKinds.join(', ')}.`),
      payload: text('thin leaves out the records.'),
      limit: { type: 'integer', description: '1 to 1,000; 100 by default.' },
    },
  ),
  async run(scope, input) {
    const asked = parametersIn(input, parameters)
    const compact = { ...asked, raw: { ...asked.raw, compact: 'true' } }
    const { entries, meta } = await listChanges(scope, { asked: compact, resync: RESYNC })
    // The entries are JSON texts of objects.
    const data = JSON.parse(`[${entries.join(',')}]`) as object[]
    return { data, next_cursor: meta.next_cursor, has_more: meta.has_more }
  },
}

/** A tool has no address to start again from. */
const RESYNC = 'list_changes with cursor: "start"'
