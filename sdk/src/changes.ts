import type { ChangeAttributes, FeedMeta } from '@kith/contract/changes/change-entry'
import type { FeedResource, Payload, StoredKind } from '@kith/contract/changes/change-kind'
import type { CommentObject } from '@kith/contract/comment'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { FileObject } from '@kith/contract/file'
import type { BuiltInName } from '@kith/contract/resource'
import type { FieldTypes } from './custom-values.ts'
import type { Attributes, CustomFieldObject, UserObject } from './documents.ts'
import type { Filter } from './filter.ts'
import type { CallOptions } from './list-query.ts'

/** A record as the feed returns it: with external ids, and with the relations of tasks and notes. */
export type SyncRecord<F extends FieldTypes = FieldTypes, R extends string = BuiltInName> = {
  [T in R]: {
    id: string
    type: T
    attributes: Attributes<F, T> & { external_ids: ExternalIds }
    relationships?: Readonly<Record<string, { data: readonly { id: string; type: string }[] }>>
  }
}[R]

/** What an entry of the feed can show. */
export type FeedObject<F extends FieldTypes = FieldTypes> =
  | SyncRecord<F>
  | CustomFieldObject
  | UserObject
  | FileObject
  | CommentObject

/** One change. `record` is the current record; null if it does not exist or no longer matches. */
export type ChangeEntry<F extends FieldTypes = FieldTypes> = {
  id: string
  type: 'changes'
  attributes: ChangeAttributes<FeedObject<F>>
}

export type ChangePage<F extends FieldTypes = FieldTypes> = {
  data: ChangeEntry<F>[]
  meta: FeedMeta
}

export type ChangeOptions = CallOptions & {
  readonly kinds?: readonly StoredKind[] | undefined
  /** Omits changes that were made with this client's token. */
  readonly excludeOwn?: boolean | undefined
  /** `thin`: without the records. `diff`: with `changes`, the values before and after. */
  readonly payload?: Payload | undefined
  /** Returns one entry for each record of a response. */
  readonly compact?: boolean | undefined
  readonly limit?: number | undefined
}

/** The changes of several resources, or those of one with a filter. */
export type ChangedParts<F extends FieldTypes, R extends string> =
  | {
      readonly resources?: readonly FeedResource[] | undefined
      readonly resource?: undefined
      readonly filter?: undefined
    }
  | {
      readonly resource: R
      readonly filter?: Filter<F, R> | undefined
      readonly changed?: readonly string[] | undefined
    }

type ChangeQuery<F extends FieldTypes = FieldTypes, R extends string = BuiltInName> = ChangeOptions & ChangedParts<F, R>

/** One response: from a cursor, `start` or `now`, or from a time. `wait` holds an empty one for up to 30 seconds. */
export type ChangePageQuery<F extends FieldTypes, R extends string> = ChangeQuery<F, R> &
  ({ readonly cursor: string } | { readonly since: string | Date }) & { readonly wait?: number | undefined }

export type FollowQuery<F extends FieldTypes, R extends string> = ChangeQuery<F, R> &
  FollowOptions & {
    /** A cursor, `start` (default; everything that exists comes first) or `now`. */
    readonly from?: string | undefined
  }

export type FollowOptions = {
  /** How many seconds a response without entries is held. Default: 30. */
  readonly wait?: number | undefined
  /** Ends when everything is read, and does not wait for more. */
  readonly once?: boolean | undefined
}

/** Any of the queries above, for any resource. */
export type AskedChanges = ChangeOptions & {
  readonly resource?: string | undefined
  readonly resources?: readonly string[] | undefined
  readonly filter?: object | undefined
  readonly changed?: readonly string[] | undefined
}

/** The parameters of the API. */
export function changeParameters(asked: AskedChanges): Record<string, unknown> {
  const { kinds, excludeOwn, payload, compact, limit, resources, filter, changed } = asked
  return {
    kind: kinds?.join(','),
    exclude_token: excludeOwn ? 'self' : undefined,
    compact: compact ? 'true' : undefined,
    resource: resources?.join(','),
    changed: changed?.join(','),
    payload,
    limit,
    filter,
  }
}
