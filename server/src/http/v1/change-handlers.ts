import { registry } from '@kith/contract/registry'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { listChanges } from '../../changes/feed.ts'
import type { Scope } from '../../scope/scope.ts'
import { askedInQuery } from './requests.ts'

/** The changes feed, of the workspace or of one resource. */
export const changeHandlers = {
  changes: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const path = request.resource === null ? {} : { resource: registry[request.resource] }
    const asking = { ...path, asked: askedInQuery(request), resync: resyncAt(request) }
    const { entries, meta, wait } = await listChanges(scope, asking)
    return {
      status: 200,
      body: `{"data":[${entries.join(',')}],"meta":${JSON.stringify(meta)}}`,
      aside: { follow: { next_cursor: meta.next_cursor, head: meta.head, has_more: meta.has_more, wait } },
    }
  },
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>

/** Where a mirror starts again when changes are gone. */
function resyncAt({ path }: V1Request): string {
  return `${path.slice(0, path.lastIndexOf('/v1/'))}/v1/changes?cursor=start`
}
