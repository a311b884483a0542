import type { LoggedChange, UndoMeta, UndoResult } from '@kith/contract/changes/undo'
import { creating, documentOf, reading, updating } from './calls.ts'
import type { SyncRecord } from './changes.ts'
import type { CallOptions, ChangeOptions, WriteOptions } from './list-query.ts'
import { type Connection, send } from './transport.ts'

/** One change, with its values in full. */
export type ChangeObject = { readonly id: string; readonly type: 'changes'; readonly attributes: LoggedChange }

/** Changes by their ids, or those that the token has made in a period. */
export type UndoSelection =
  | { readonly ids: readonly string[] }
  | { readonly own: true; readonly since: string | Date; readonly until?: string | Date | undefined }

export type UndoResults = { readonly data: readonly UndoResult[]; readonly meta: UndoMeta }

export type UndoClient = {
  /** One change, with its values in full. */
  read(id: string, options?: CallOptions): Promise<{ data: ChangeObject }>
  /**
   * Undoes a change. `data` is the record, or null if it is gone now; `change_id` is the change that has undone it.
   * `force` deletes a new record even if it was changed since.
   */
  undo(
    id: string,
    options?: ChangeOptions & { readonly force?: boolean | undefined },
  ): Promise<{ data: Omit<SyncRecord, 'relationships'> | null; change_id: string | null }>
  /** Undoes up to 1,000 changes, the latest first. One that cannot be undone does not stop the others. */
  undoMany(
    selection: UndoSelection,
    options?: WriteOptions & { readonly dry_run?: boolean | undefined },
  ): Promise<UndoResults>
}

export function undoClient(connection: Connection): UndoClient {
  const pathOf = (id: string) => `/changes/${encodeURIComponent(id)}`
  return {
    read: (id, options = {}) => documentOf(connection, reading(pathOf(id), options)),
    async undo(id, { force = false, ...options } = {}) {
      const { body, headers } = await send(connection, updating(`${pathOf(id)}/undo`, { force }, options))
      // The contract defines the response.
      const document = body as Pick<Awaited<ReturnType<UndoClient['undo']>>, 'data'> | undefined
      return { data: document?.data ?? null, change_id: headers.get('X-Change-Id') }
    },
    undoMany: (selection, { dry_run = false, ...options } = {}) =>
      documentOf(connection, creating('/changes/undo', { ...selection, dry_run }, options)),
  }
}
