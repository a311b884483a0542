import type { FeedResource } from '@kith/contract/changes/change-kind'
import type { ChangedParts, ChangeEntry, ChangeOptions, FeedObject, FollowOptions, FollowQuery } from './changes.ts'
import { type ChangesClient, ExpiredError, type Follower } from './changes-client.ts'
import type { FieldTypes } from './custom-values.ts'

type MirroredId = { readonly type: FeedResource; readonly id: string }

/** Which changes a mirror follows, and its copy. */
export type MirrorOptions<F extends FieldTypes, R extends string> = ChangedParts<F, R> &
  FollowOptions &
  Omit<ChangeOptions, 'payload' | 'kinds'> &
  Copy<F>

/** The operations of a mirror on its own copy. */
type Copy<F extends FieldTypes> = {
  /** Stores a record, whether the copy has it or not. */
  put(record: FeedObject<F>, entry: ChangeEntry<F>): Promise<void> | void
  /** Removes a record, if the copy has it. */
  remove(id: MirroredId, entry: ChangeEntry<F> | undefined): Promise<void> | void
  /** The cursor that was saved last. Without one, everything that exists comes first. */
  readonly cursor?: string | undefined
  /** Called after each response, when all its entries are in the copy. */
  save(cursor: string): Promise<void> | void
  /**
   * What the copy holds. With it, a copy that starts again removes what no longer exists. Without it, an expired cursor
   * is thrown as an `ExpiredError`.
   */
  held?(): AsyncIterable<MirroredId> | Iterable<MirroredId>
}

/** Keeps a copy equal to the workspace. Ends only with `once`, with the signal, or with an error. */
export async function mirror<F extends FieldTypes, R extends string>(
  changes: ChangesClient<F>,
  options: MirrorOptions<F, R>,
): Promise<void> {
  const { cursor, put: _put, remove: _remove, save: _save, held, ...query } = options
  // The rest is a query for the same resource.
  const followed = { ...query, from: cursor ?? 'start' } as FollowQuery<F, R>
  try {
    await apply(changes.follow(followed), options)
  } catch (error) {
    if (!(error instanceof ExpiredError) || !held) throw error
    await apply(error.resync(), options)
  }
}

async function apply<F extends FieldTypes>(follower: Follower<F>, options: Copy<F>): Promise<void> {
  const { put, remove, save } = options
  let named = follower.cursor === 'start' ? new Set<string>() : undefined
  for await (const { data, meta } of follower.pages()) {
    if (named && meta.phase === 'live') {
      await removeUnnamed(options, named)
      named = undefined
    }
    for (const entry of data) {
      const { record, resource, record_id } = entry.attributes
      named?.add(nameOf({ type: resource, id: record_id }))
      if (record) await put(record, entry)
      else await remove({ type: resource, id: record_id }, entry)
    }
    await save(meta.next_cursor)
  }
}

/** At the end of the snapshot: objects that it did not contain do not exist. */
async function removeUnnamed<F extends FieldTypes>(
  { held, remove }: Copy<F>,
  named: ReadonlySet<string>,
): Promise<void> {
  if (!held) return
  const gone: MirroredId[] = []
  for await (const id of held()) if (!named.has(nameOf(id))) gone.push(id)
  for (const id of gone) await remove(id, undefined)
}

function nameOf({ type, id }: MirroredId): string {
  return `${type} ${id}`
}
