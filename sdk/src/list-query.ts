import type { BuiltInName, RelatedType } from '@kith/contract/resource'
import type { Code, FieldTypes, SortableCode } from './custom-values.ts'
import type { Include } from './documents.ts'
import type { Filter } from './filter.ts'
import type { AttributeName, CountAttribute, Label, RelatedTo, RelationName, StampOf } from './registry-types.ts'

/** The options of every call. */
export type CallOptions = { readonly signal?: AbortSignal | undefined }

/** The options of every write. */
export type WriteOptions = CallOptions & {
  /**
   * The key under which the service carries out the call once, however often it is sent. Every create and upsert has a
   * new one, and so has a call with `ifMatch`. `false` sends none.
   */
  readonly idempotencyKey?: string | false | undefined
}

/** The options of a write of an existing record. */
export type ChangeOptions = WriteOptions & {
  /**
   * Writes only if the record was not changed since: the record as it was read, or its `updated_at`. Otherwise the call
   * fails with the kind `precondition_failed`.
   */
  readonly ifMatch?: string | { readonly attributes: { readonly updated_at?: string | undefined } } | undefined
}

/** Which parts of records a call returns. */
export type AnswerQuery<R extends string, I extends Include<R>, S> = CallOptions & {
  readonly include?: I | undefined
  /** Attributes to show; all others are omitted. */
  readonly fields?: S | undefined
}

/** The query of a list, by page or by cursor. */
type ListQuery<F extends FieldTypes, R extends string, I extends Include<R>, S> = AnswerQuery<R, I, S> & {
  readonly filter?: Filter<F, R> | undefined
  readonly sort?: SortName<F, R> | readonly SortName<F, R>[] | undefined
  readonly per_page?: number | undefined
}

export type PageQuery<F extends FieldTypes, R extends string, I extends Include<R>, S> = ListQuery<F, R, I, S> & {
  readonly page?: number | undefined
}

export type ScanQuery<F extends FieldTypes, R extends string, I extends Include<R>, S> = ListQuery<F, R, I, S> & {
  /** The `meta.next_cursor` of an earlier page with the same filter and sort. */
  readonly cursor?: string | undefined
}

/** Names of attributes: of the listed type, or by type for included records too. */
export type Selection<F extends FieldTypes, R extends string> =
  | readonly FieldName<F, R>[]
  | { readonly [T in R | RelatedTo<R, RelationName<R>>]?: readonly FieldName<F, T>[] | undefined }

type FieldName<F extends FieldTypes, T extends RelatedType> = T extends BuiltInName
  ? AttributeName<T> | CountAttribute<T> | 'external_ids' | 'custom_fields' | `custom_fields.${Code<F, T>}`
  : 'name' | 'email'

export type SortName<F extends FieldTypes, R extends string> = Descending<
  Label<R> | StampOf<'time'> | `custom_fields.${SortableCode<F, R>}`
>

type Descending<Name extends string> = Name | `-${Name}`

/** Any of the queries above, for any resource. */
export type ListRequest = {
  readonly per_page?: number | undefined
  readonly page?: number | undefined
  readonly cursor?: string | undefined
  readonly filter?: object | undefined
  readonly q?: string | undefined
  readonly include?: readonly string[] | undefined
  readonly fields?: readonly string[] | Readonly<Record<string, readonly string[] | undefined>>
  readonly sort?: string | readonly string[] | undefined
} & ChangeOptions

/** The parameters of a call in the form in which query strings and bodies both take them: names joined by commas. */
export function parametersOf(asked: ListRequest): Record<string, unknown> {
  const { signal: _, idempotencyKey: __, ifMatch: ___, include, fields, sort, ...others } = asked
  return {
    ...others,
    include: include && joined(include),
    fields: fields && fieldsOf(fields),
    sort: sort && joined(sort),
  }
}

function fieldsOf(fields: NonNullable<ListRequest['fields']>): string | Record<string, string> {
  if (isList(fields)) return joined(fields)
  return Object.fromEntries(Object.entries(fields).map(([type, names]) => [type, joined(names ?? [])]))
}

function joined(names: string | readonly string[]): string {
  return typeof names === 'string' ? names : names.join(',')
}

function isList(fields: NonNullable<ListRequest['fields']>): fields is readonly string[] {
  return Array.isArray(fields)
}
