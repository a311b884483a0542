import { registry } from '@kith/contract/registry'
import type { V1Request } from '../../calls/call.ts'
import { writeFeedCursor } from '../../changes/cursor.ts'
import { type AskedChanges, type ListedChanges, listChanges } from '../../changes/feed.ts'
import { askedInQuery, type V1Handler } from './requests.ts'

/** The changes feed, of the workspace or of one resource. */
export const changeHandlers = {
  changes: async (scope, request) => {
    const listed = await listChanges(scope, askedChanges(request))
    const body = `{"data":[${listed.entries.join(',')}],"meta":${JSON.stringify(listed.meta)}}`
    return { status: 200, body, aside: { follow: followOf(listed) } }
  },
  'changes-stream': async (scope, request) => {
    const listed = await listChanges(scope, { ...askedChanges(request), stream: true })
    const cursors = listed.positions.map((position) => writeFeedCursor(scope, position))
    return { status: 200, body: changeEvents({ ...listed, cursors }), aside: { follow: followOf(listed) } }
  },
} satisfies Record<string, V1Handler>

function askedChanges(request: V1Request): AskedChanges {
  const path = request.resource === null ? {} : { resource: registry[request.resource] }
  return { ...path, asked: askedInQuery(request), resync: resyncAt(request) }
}

function followOf({ meta, wait }: ListedChanges) {
  return { ...meta, wait }
}

/** Where a mirror starts again when changes are gone. */
function resyncAt({ path }: V1Request): string {
  return `${path.slice(0, path.lastIndexOf('/v1/'))}/v1/changes?cursor=start`
}

/** Entries as server-sent events. The id of each is the cursor after it: a client that was cut off continues there. */
function changeEvents({ entries, cursors, meta }: ListedChanges & { cursors: readonly string[] }): string {
  const events = entries.map((entry, index) => `id: ${cursors[index]}\nevent: change\ndata: ${entry}\n\n`)
  // Changes that are not for this reader move the position, too. Before the hand-off only entries do.
  const moved = meta.phase === 'live' && cursors.at(-1) !== meta.next_cursor
  return events.join('') + (moved ? `id: ${meta.next_cursor}\n\n` : '')
}
