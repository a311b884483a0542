import type { FieldTypes, ListEdit, TextCode, ValuesOf, Written } from './custom-values.ts'
import type { Flat, Label, LinkName, ReferenceName } from './registry-types.ts'

/** The record that holds a value of a unique field or an external id, in place of its ID. */
export type NamedByMatch = { readonly match: { readonly field: string; readonly value: string } }

/** The member with an email address, in place of their ID. */
export type NamedByEmail = { readonly email: string }

/** The record of an earlier operation of a batch, in place of its ID. */
export type NamedByLid = { readonly lid: string }

/** The body of a create. `N` is the type of names for records, in addition to IDs and matches. */
export type CreateInput<F extends FieldTypes, R extends string, N = never> = Flat<
  { readonly [K in Label<R>]: string } & Optional<F, R, N>
>

/** The body of an update: absent attributes stay, null clears. */
export type UpdateInput<F extends FieldTypes, R extends string, N = never> = Flat<
  { readonly [K in Label<R>]?: string | undefined } & Optional<F, R, N>
>

/** The body of an upsert. `match.field` is the code of a unique field, or `external_ids.` and a namespace. */
export type UpsertInput<F extends FieldTypes, R extends string> = Flat<
  {
    readonly match: { readonly field: TextCode<F, R> | `external_ids.${string}`; readonly value: string }
  } & CreateInput<F, R>
>

/** Names a record, or a member where the attribute holds members. */
type NameOf<K extends string, N> =
  | string
  | (K extends 'account_owner_id' | 'assignee_ids' ? NamedByEmail : NamedByMatch | N)

type Optional<F extends FieldTypes, R extends string, N = never> = {
  readonly [K in ReferenceName<R>]?: NameOf<K, N> | null | undefined
} & {
  readonly [K in LinkName<R>]?: readonly NameOf<K, N>[] | ListEdit<NameOf<K, N>> | null | undefined
} & {
  /** Ids of other systems, by namespace. A namespace that is absent stays, null or [] clears it, null clears all. */
  readonly external_ids?:
    | { readonly [namespace: string]: string | readonly string[] | ListEdit<string> | null }
    | null
    | undefined
  readonly custom_fields?:
    | { readonly [C in keyof ValuesOf<F, R>]?: Written<ValuesOf<F, R>[C]> | null | undefined }
    | undefined
}
