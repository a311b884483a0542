import { registry } from '@kith/contract/registry'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { writeFeedCursor } from '../../changes/cursor.ts'
import { type AskedChanges, type ListedChanges, listChanges } from '../../changes/feed.ts'
import type { Listed } from '../../records/list.ts'
import type { Scope } from '../../scope/scope.ts'
import { changeEvents } from './change-events.ts'
import { askedInQuery } from './requests.ts'

/** The changes feed, of the workspace or of one resource. */
export const changeHandlers = {
  changes: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const listed = await listChanges(scope, askedChanges(request))
    const body = `{"data":[${listed.entries.join(',')}],"meta":${JSON.stringify(listed.meta)}}`
    return { status: 200, body, aside: { follow: followOf(listed) } }
  },
  'changes-stream': async (scope, request) => {
    const listed = await listChanges(scope, { ...askedChanges(request), stream: true })
    const cursors = listed.positions.map((position) => writeFeedCursor(scope, position))
    return { status: 200, body: changeEvents({ ...listed, cursors }), aside: { follow: followOf(listed) } }
  },
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>

function askedChanges(request: V1Request): AskedChanges {
  const path = request.resource === null ? {} : { resource: registry[request.resource] }
  return { ...path, asked: askedInQuery(request), resync: resyncAt(request) }
}

function followOf({ meta, wait }: ListedChanges) {
  return { ...meta, wait }
}

/** The answer of a list that is paged by cursor has the place in the feed before its first page. */
export function withChangesCursor(scope: Scope, listed: Listed, answer: Answer): Answer {
  if (listed.by !== 'cursor' || !listed.feed) return answer
  const { epoch, sequence } = listed.feed
  return { ...answer, headers: { ...answer.headers, 'X-Changes-Cursor': writeFeedCursor(scope, { epoch, sequence }) } }
}

/** Where a mirror starts again when changes are gone. */
function resyncAt({ path }: V1Request): string {
  return `${path.slice(0, path.lastIndexOf('/v1/'))}/v1/changes?cursor=start`
}
