import type { SummaryMeta, SummaryQuery, SummaryRow } from '@kith/contract/summary'
import type { Code, FieldTypes } from './custom-values.ts'
import type { Filter } from './filter.ts'
import type { CallOptions } from './list-query.ts'
import type { Label, RelationName, StampOf } from './registry-types.ts'

type SummaryOptions = Pick<SummaryQuery, 'measure' | 'period' | 'time_zone' | 'limit' | 'sort'>

/** What a summary measures and groups by. Without any, the records are counted. */
export type SummaryInput<F extends FieldTypes, R extends string> = CallOptions & {
  readonly filter?: Filter<F, R> | undefined
  /** Required for every measure but `count`. */
  readonly field?: Label<R> | GroupName<F, R> | undefined
  /** At most two names, also of a related record: `company.custom_fields.tier`. */
  readonly group_by?: readonly (GroupName<F, R> | `${RelationName<R>}.${string}`)[] | undefined
} & { readonly [K in keyof SummaryOptions]?: SummaryOptions[K] | undefined }

type GroupName<F extends FieldTypes, R extends string> =
  | RelationName<R>
  | StampOf<'time' | 'source'>
  | `custom_fields.${Code<F, R>}`

export type Summary = { data: readonly SummaryRow[]; meta: SummaryMeta }
