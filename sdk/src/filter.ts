import type { CreationSource } from '@kith/contract/creation-source'
import type { externalIdOperators } from '@kith/contract/external-ids-filter'
import type {
  hostOperators,
  idOperators,
  linkOperators,
  sourceOperators,
  textOperators,
  timeOperators,
} from '@kith/contract/filterable'
import type { Operator } from '@kith/contract/operators'
import type { Choice, ChosenFrom, Day, FieldTypes, Identifier, IsOpen, Moment, ValuesOf } from './custom-values.ts'
import type { AttributeOf, LinkingName, RegistryEntry, RelatedTo, RelationName } from './registry-types.ts'

/** The conditions on records of one resource. Keys of one object are joined by AND. */
export type Filter<F extends FieldTypes, R extends string> = Conditions<F, R, 2>

/** How many relations may still be nested. */
type Depth = 0 | 1 | 2
type Below = { 0: 0; 1: 0; 2: 1 }

type Conditions<F extends FieldTypes, R extends string, D extends Depth> = {
  readonly [K in NameAt<R, D>]?: ConditionAt<F, R, D, K>
}

type NameAt<R extends string, D extends Depth> =
  | 'id'
  | AttributeOf<R, 'text' | 'time' | 'source'>
  | 'custom_fields'
  | 'external_ids'
  | '$search'
  | '$and'
  | '$or'
  | '$not'
  | (D extends 0 ? never : RelationName<R> | LinkingName<R>)
  | (RegistryEntry<R> extends { assignable: true } ? 'assigned_to_me' : never)

type ConditionAt<F extends FieldTypes, R extends string, D extends Depth, K> = K extends '$and' | '$or'
  ? readonly Conditions<F, R, D>[]
  : K extends '$not'
    ? Conditions<F, R, D>
    : K extends 'custom_fields'
      ? FieldFilters<F, R, D>
      : K extends 'external_ids'
        ? ExternalIdsFilter
        : K extends '$search'
          ? string
          : K extends AttributeOf<R, 'time'>
            ? Operands<(typeof timeOperators)[number], string | Date>
            : K extends 'id'
              ? Operands<(typeof idOperators)[number], string>
              : K extends AttributeOf<R, 'source'>
                ? Operands<(typeof sourceOperators)[number], CreationSource>
                : K extends 'assigned_to_me'
                  ? Operands<'$eq', boolean>
                  : K extends LinkingName<R>
                    ? RelationFilter<F, K, Below[D]>
                    : K extends RelationName<R>
                      ? RelationFilter<F, RelatedTo<R, K>, Below[D]>
                      : Operands<(typeof textOperators)[number], string>

/** Members: by id only. Records: by id, or by conditions on the related resource. */
type RelationFilter<F extends FieldTypes, To, D extends Depth> = To extends 'users'
  ? Operands<(typeof linkOperators)[number], string>
  : Operands<(typeof linkOperators)[number], string> & Conditions<F, To & string, D>

/** Operators by namespace. */
type ExternalIdsFilter = { readonly [namespace: string]: Operands<(typeof externalIdOperators)[number], string> }

type FieldFilters<F extends FieldTypes, R extends string, D extends Depth> = {
  readonly [C in keyof ValuesOf<F, R>]?: FieldFilter<F, ValuesOf<F, R>[C], D>
}

/** The operators of a custom field, by the type of its values. */
type FieldFilter<F extends FieldTypes, Value, D extends Depth> =
  IsOpen<Value> extends true
    ? AnyFieldFilter
    : NonNullable<Value> extends readonly Choice[]
      ? Operands<'$has_any' | '$has_none' | '$is_empty', ChosenFrom<NonNullable<Value>>>
      : NonNullable<Value> extends readonly Identifier<infer To>[] | Identifier<infer To>
        ? ReferenceFilter<F, To, D>
        : NonNullable<Value> extends readonly string[]
          ? ListFilter
          : NonNullable<Value> extends Choice
            ? Operands<'$eq' | '$in' | '$not_in' | '$is_empty', ChosenFrom<readonly [NonNullable<Value>]>>
            : NonNullable<Value> extends boolean
              ? Operands<'$eq' | '$is_empty', boolean>
              : NonNullable<Value> extends number
                ? Operands<Comparison, number>
                : NonNullable<Value> extends Day | Moment
                  ? Operands<Comparison, string | Date>
                  : Operands<(typeof textOperators)[number], string>

/** A reference field is filtered as a relation. */
type ReferenceFilter<F extends FieldTypes, To, D extends Depth> = D extends 0 ? never : RelationFilter<F, To, Below[D]>

type Comparison = (typeof timeOperators)[number]

/** Only email and link fields take `domain`, but their TypeScript type is the same as that of other lists of texts. */
type ListFilter = Operands<'$has_any' | '$has_none' | '$is_empty', string> & {
  readonly domain?: Operands<(typeof hostOperators)[number], string>
}

type AnyFieldFilter = Operands<Operator, string | number | boolean | Date> & {
  readonly domain?: Operands<(typeof hostOperators)[number], string>
}

type Operands<O extends Operator, Value> = {
  readonly [Name in O]?: Name extends '$is_empty'
    ? boolean
    : Name extends '$in' | '$not_in' | '$has_any' | '$has_none'
      ? readonly Value[]
      : Value
}
