import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import type { ApiRecord } from '../../api/records.ts'

/** What a calendar shows. */
export type CalendarProps = {
  resource: ResourceName
  field: Field
  days: readonly string[]
  today: string
  /** The month whose days are not faint. */
  month: string | undefined
  byDay: ReadonlyMap<string, readonly ApiRecord[]>
}
