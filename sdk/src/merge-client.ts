import type { Certainty } from '@kith/contract/certainty'
import { documentOf, reading, updating } from './calls.ts'
import type { FieldTypes } from './custom-values.ts'
import type { RecordObject, Single } from './documents.ts'
import { type ListClient, listClient, type PageOf } from './list-client.ts'
import type { CallOptions, ChangeOptions, WriteOptions } from './list-query.ts'
import type { DuplicateObject, HistoryObject, HistoryPage, MergeObject } from './merge-documents.ts'
import { recordsOf, scanByCursor } from './pages.ts'
import type { NamedByMatch, UpdateInput } from './record-input.ts'
import type { Connection } from './transport.ts'

type PageOptions = CallOptions & { readonly page?: number | undefined; readonly per_page?: number | undefined }
export type OfResource = { readonly resource?: string | undefined }
type DuplicateQuery = PageOptions & { readonly certainty?: Certainty | undefined }
type HistoryQuery = CallOptions & { readonly field?: string | undefined; readonly per_page?: number | undefined }

type MergeInput<F extends FieldTypes, R extends string> = {
  /** The records that become part of the winner. */
  readonly loser_ids: readonly (string | NamedByMatch)[]
  /** Values for the winner, instead of those that the merge would choose. */
  readonly attributes?: UpdateInput<F, R> | undefined
}

/** Merging, restoring and looking back, for the records of one resource. */
export type MergeClient<F extends FieldTypes, R extends string> = {
  /** Makes records one. It can be repeated: losers that are merged already are skipped. */
  merge(
    winnerId: string,
    input: MergeInput<F, R>,
    options?: ChangeOptions,
  ): Promise<{ data: RecordObject<F, R>; meta: { merge_id: string } }>
  /** Brings a deleted record back, or undoes the merge of a loser. */
  restore(id: string, options?: ChangeOptions): Promise<Single<F, R, readonly [], undefined>>
  /** The changes with their actors, latest first: every entry, page after page. */
  history(id: string, query?: HistoryQuery): AsyncGenerator<HistoryObject, void, undefined>
  /** A page of values that several records share. */
  duplicates(query?: DuplicateQuery): Promise<PageOf<DuplicateObject>>
}

export function mergeClient<F extends FieldTypes, R extends string>(
  connection: Connection,
  type: R,
): MergeClient<F, R> {
  const pathOf = (id: string, what: string) => `/${type}/${encodeURIComponent(id)}/${what}`
  return {
    merge: (id, input, options = {}) => documentOf(connection, updating(pathOf(id, 'merge'), input, options)),
    restore: (id, options = {}) => documentOf(connection, updating(pathOf(id, 'restore'), {}, options)),
    history: (id, query = {}) =>
      recordsOf(
        scanByCursor(query, (asked) => documentOf<HistoryPage>(connection, reading(pathOf(id, 'history'), asked))),
      ),
    duplicates: (query = {}) => documentOf(connection, reading(`/${type}/duplicates`, query)),
  }
}

/** The merges of all resources. */
export type MergesClient = ListClient<MergeObject, OfResource> & {
  /** Returns the winner. A merge that was undone already stays as it is. */
  undo(id: string, options?: WriteOptions): Promise<{ data: { id: string; type: string } }>
}

export function mergesClient(connection: Connection): MergesClient {
  return {
    ...listClient(connection, '/merges'),
    undo: (id, options = {}) => documentOf(connection, updating(`/merges/${encodeURIComponent(id)}/undo`, {}, options)),
  }
}
