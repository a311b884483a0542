import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { listChanges } from '../../changes/feed.ts'
import { reads } from '../annotations.ts'
import { object, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn } from '../tool-input.ts'

const parameters = ['cursor', 'since', 'resource', 'kind', 'payload', 'limit']

export const listChangesTool: Tool = {
  name: 'list_changes',
  title: 'List changes',
  description:
    'What changed in the workspace since a time or cursor, oldest first, each record once. Continue with ' +
    'next_cursor while has_more. For one record use record_history.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      since: text('A time, such as 2026-11-14T09:00:00Z, or send cursor.'),
      cursor: text('The next_cursor of an earlier call, or now.'),
      resource: text(`Names joined by commas, of: ${feedResources.join(', ')}.`),
      kind: text(`Names joined by commas, of: ${storedKinds.join(', ')}.`),
      payload: text('thin leaves out the records.'),
      limit: { type: 'integer', description: '1 to 1,000; 100 by default.' },
    },
    [...parameters],
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
