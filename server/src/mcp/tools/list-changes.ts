import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { listChanges } from '../../changes/feed.ts'
import { reads } from '../annotations.ts'
import { anyObject, listOf, object, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn } from '../tool-input.ts'

const parameters = ['cursor', 'since', 'resource', 'kind', 'payload', 'limit']

export const listChangesTool: Tool = {
  name: 'list_changes',
  title: 'List changes',
  description:
    'What has changed in the workspace since a time or a cursor, oldest first: records, custom fields and members that ' +
    'were created, updated, deleted, restored or merged. A record that changed several times comes once. Continue with ' +
    'next_cursor while has_more is true. For the changes of one record use record_history.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      since: text('A time, such as 2026-11-14T09:00:00Z. Send this or cursor.'),
      cursor: text('The next_cursor of an earlier call, or now for the position after the last change.'),
      resource: text(`One or more names joined by commas; all without it: ${feedResources.join(', ')}.`),
      kind: text(`One or more names joined by commas; all without it: ${storedKinds.join(', ')}.`),
      payload: text('thin leaves out the records; full is the default.'),
      limit: { type: 'integer', description: 'How many changes are read: 1 to 1,000. Default: 100.' },
    },
    [...parameters],
  ),
  output: object({
    data: listOf(
      anyObject('A change: id, and attributes with kind, resource, record_id, at, changed and record.'),
      'Oldest first.',
    ),
    next_cursor: { type: 'string' },
    has_more: { type: 'boolean' },
  }),
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
