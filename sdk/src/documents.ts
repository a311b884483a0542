import type { CreationSource } from '@kith/contract/creation-source'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { CustomField } from '@kith/contract/field-definition'
import type { PageDocumentMeta } from '@kith/contract/query-string'
import type { BuiltInName, RelatedType } from '@kith/contract/resource'
import type { TokenAttributes } from '@kith/contract/token-attributes'
import type { FieldTypes, ValuesOf } from './custom-values.ts'
import type {
  AttributeName,
  CountAttribute,
  Flat,
  IncludeName,
  IsToOne,
  KindOf,
  RelatedTo,
  RelationName,
} from './registry-types.ts'

/** The `include` of a call. */
export type Include<R extends string> = readonly IncludeName<R>[]

/** The attributes of a record, counts aside. */
export type Attributes<F extends FieldTypes, R extends string> = Flat<
  { [N in AttributeName<R>]: ValueOf<KindOf<R, N>> } & { custom_fields: Flat<ValuesOf<F, R>> }
>

/** The value of an attribute, by its kind. */
type ValueOf<Kind> = Kind extends 'source' ? CreationSource : Kind extends 'reference' ? string | null : string

/** `S` is the type of `fields`. With it, attributes that were not requested are absent. */
export type RecordObject<F extends FieldTypes, R extends string, I extends Include<R> = readonly [], S = undefined> = {
  id: string
  type: R
  attributes: Selection<Attributes<F, R> & Counts<R, I> & ExternalIdsOf<R, I>, S>
} & Relationships<R, I>

export type UserObject = { id: string; type: 'users'; attributes: { name: string; email: string } }

/** The access token of the request. */
export type TokenObject = { id: string; type: 'tokens'; attributes: TokenAttributes }

export type CustomFieldObject = {
  id: string
  type: 'custom_fields'
  attributes: CustomField
}

type Identifier<T extends RelatedType> = { id: string; type: T }

/** A single record, and its included records. */
export type Single<F extends FieldTypes, R extends string, I extends Include<R>, S> = {
  data: RecordObject<F, R, I, S>
  meta?: TruncationNote<R>
} & Included<F, R, I, S>

/** A page of a list that is read by number. */
export type PageList<F extends FieldTypes, R extends string, I extends Include<R>, S> = {
  data: RecordObject<F, R, I, S>[]
  links: PageDocumentMeta['links']
  meta: PageDocumentMeta['meta'] & TruncationNote<R> & { next_cursor?: undefined }
} & Included<F, R, I, S>

/** A page of a list that is read by cursor. */
export type CursorList<F extends FieldTypes, R extends string, I extends Include<R>, S> = {
  data: RecordObject<F, R, I, S>[]
  links: { first: null; last: null; prev: string | null; next: string | null }
  meta: { path: string; per_page: number; next_cursor: string | null; prev_cursor: string | null } & TruncationNote<R>
} & Included<F, R, I, S>

/** The relations that had too many records to show them all. */
type TruncationNote<R extends string> = { truncated?: RelationName<R>[] }

type Selection<Whole, S> = [S] extends [undefined] ? Flat<Whole> : SomeOf<Whole>

type SomeOf<Whole> = { [K in keyof Whole]?: K extends 'custom_fields' ? Partial<Whole[K]> : Whole[K] }

/** A list of names that is only known at run time may hold any of them, or none. */
type Counts<R extends string, I extends Include<R>> = number extends I['length']
  ? { [K in CountAttribute<R>]?: number }
  : { [K in CountAttribute<R, I[number]>]: number }

/** Shown if `include` asks for them. */
type ExternalIdsOf<R extends string, I extends Include<R>> = number extends I['length']
  ? { external_ids?: ExternalIds }
  : 'externalIds' extends I[number]
    ? { external_ids: ExternalIds }
    : unknown

type Relationships<R extends string, I extends Include<R>> = number extends I['length']
  ? { relationships?: { [N in RelationName<R>]?: Relationship<R, N> } }
  : [I[number] & RelationName<R>] extends [never]
    ? unknown
    : { relationships: { [N in I[number] & RelationName<R>]: Relationship<R, N> } }

type Relationship<R extends string, N> = {
  data: IsToOne<R, N> extends true ? Identifier<RelatedTo<R, N>> | null : Identifier<RelatedTo<R, N>>[]
}

type Included<F extends FieldTypes, R extends string, I extends Include<R>, S> = number extends I['length']
  ? { included?: IncludedObject<F, RelatedTo<R, RelationName<R>>, S>[] }
  : [I[number] & RelationName<R>] extends [never]
    ? unknown
    : { included: IncludedObject<F, RelatedTo<R, I[number]>, S>[] }

type IncludedObject<F extends FieldTypes, T extends RelatedType, S> = T extends BuiltInName
  ? RecordObject<F, T, readonly [], S>
  : [S] extends [undefined]
    ? UserObject
    : { id: string; type: 'users'; attributes: Partial<UserObject['attributes']> }
