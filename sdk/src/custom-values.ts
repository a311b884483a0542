import type { WireValue } from '@kith/contract/field-type'
import type { BuiltInName } from '@kith/contract/resource'

/** A chosen option, as it is read. `Label` has the labels of the field's options, if they are known. */
export type Choice<Label extends string = string> = { id: string; label: Label }

/** A record or member that a value refers to, as it is read. */
export type Identifier<Type extends string = string> = { id: string; type: Type }

/** Another way to name a record or member in a write: by a value that it holds, or by its email address. */
type Named =
  | string
  | { match: { field: string; value: string }; create?: Readonly<Record<string, unknown>> }
  | { email: string }

/**
 * Instead of a list: items to remove from it, and then items to add at its end. Other items stay, also those that
 * somebody else adds at the same time. A new record only gets those of `$add`.
 */
export type ListEdit<Item> = {
  readonly $add?: readonly Item[] | undefined
  readonly $remove?: readonly Item[] | undefined
}

/** The value of a date field, such as `2026-11-14`. */
export type Day = `${number}-${number}-${number}`

/** The value of a date-time field, such as `2026-11-14T09:30:00.000Z`. */
export type Moment = `${number}-${number}-${number}T${string}Z`

/**
 * What a workspace keeps in its custom fields: for each resource an object type of values by code, as they are read.
 * Write `string` for texts, `Day` and `Moment` for dates, `number`, `boolean`, `Choice`, `Choice[]`, `Identifier`,
 * `Identifier[]`, and `string[]` for tags, email addresses, phone numbers, links and domains. A resource that is left
 * out is open to any code. Own resources have their codes. The first type is for interfaces, which have no index.
 */
export type FieldTypes = { readonly [R in BuiltInName]?: object } | { readonly [code: string]: object }

/** The values of one resource by code. */
export type ValuesOf<F extends FieldTypes, R extends string> = F extends { readonly [K in R]: infer Values }
  ? Values
  : Record<string, WireValue>

export type Code<F extends FieldTypes, R extends string> = keyof ValuesOf<F, R> & string

/** Codes whose values are single: a list can be sorted by them. */
export type SortableCode<F extends FieldTypes, R extends string> = {
  [C in Code<F, R>]: IsOpen<ValuesOf<F, R>[C]> extends true
    ? C
    : NonNullable<ValuesOf<F, R>[C]> extends readonly unknown[] | Identifier
      ? never
      : C
}[Code<F, R>]

/** Codes whose values are texts, one or many: an upsert can match on them when they are unique. */
export type TextCode<F extends FieldTypes, R extends string> = {
  [C in Code<F, R>]: IsOpen<ValuesOf<F, R>[C]> extends true
    ? C
    : NonNullable<ValuesOf<F, R>[C]> extends string | readonly string[]
      ? C
      : never
}[Code<F, R>]

/** The accepted input for a value of this type. Null clears any value. */
export type Written<Value> =
  IsOpen<Value> extends true
    ? WrittenAny
    : Value extends readonly Choice[]
      ? readonly ChosenFrom<Value>[] | ListEdit<ChosenFrom<Value>>
      : Value extends readonly Identifier[]
        ? readonly (Identifier | Named)[] | ListEdit<Identifier | Named>
        : Value extends readonly string[]
          ? readonly string[] | string | ListEdit<string>
          : Value extends Choice
            ? ChosenFrom<readonly [Value]>
            : Value extends Identifier
              ? Identifier | Named
              : Value extends number
                ? number | `${number}`
                : Value extends Moment
                  ? string | Date
                  : Value extends Day
                    ? string
                    : Value

/** How an option is named: by one of the labels that the type knows, or as it is read. The label is ignored then. */
export type ChosenFrom<Choices extends readonly Choice[]> =
  | Choices[number]['label']
  | { readonly id: string; readonly label?: string | undefined }

type WrittenAny =
  | string
  | number
  | boolean
  | Date
  | Choice
  | Identifier
  | Named
  | readonly (Choice | Identifier | Named)[]
  | ListEdit<Choice | Identifier | Named>

/** Whether nothing more is known than that it is a value. */
export type IsOpen<Value> = [WireValue] extends [Value] ? true : false
