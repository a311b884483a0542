import type { ResourceName } from '@kith/contract/resource'
import type { FieldTypes, TextCode, ValuesOf, Written } from './custom-values.ts'
import type { Flat, Label, LinkName, ReferenceName } from './declared.ts'

/** The body of a create. */
export type CreateInput<F extends FieldTypes, R extends ResourceName> = Flat<
  { readonly [K in Label<R>]: string } & Optional<F, R>
>

/** The body of an update: what is absent stays, null clears. */
export type UpdateInput<F extends FieldTypes, R extends ResourceName> = Flat<
  { readonly [K in Label<R>]?: string } & Optional<F, R>
>

/** The body of an upsert. `match.field` is the code of a unique field, or `external_ids.` and a namespace. */
export type UpsertInput<F extends FieldTypes, R extends ResourceName> = Flat<
  {
    readonly match: { readonly field: TextCode<F, R> | `external_ids.${string}`; readonly value: string }
  } & CreateInput<F, R>
>

type Optional<F extends FieldTypes, R extends ResourceName> = {
  readonly [K in ReferenceName<R>]?: string | null
} & {
  readonly [K in LinkName<R>]?: readonly string[] | null
} & {
  /** Ids of other systems, by namespace. A namespace that is absent stays, null or [] clears it, null clears all. */
  readonly external_ids?: { readonly [namespace: string]: string | readonly string[] | null } | null
  readonly custom_fields?: { readonly [C in keyof ValuesOf<F, R>]?: Written<ValuesOf<F, R>[C]> | null }
}
