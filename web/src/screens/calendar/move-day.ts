import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import { useRecordUpdate } from '../../api/record-changes.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { showToast } from '../../components/toast-store.ts'
import { textIn } from '../../fields/values.ts'
import { formatDayNear } from '../../format/moments.ts'
import { customChange } from '../../properties/property-change.ts'
import { valueOn } from './on-day.ts'

/** Moves a record to another day at once, and back if the service refuses or the user wants it. */
export function useMoveDay(resource: ResourceName, field: Field) {
  const { mutateAsync } = useRecordUpdate(resource)
  const set = (id: string, value: string) => mutateAsync({ id, ...customChange(field, value) })
  return async (record: ApiRecord, day: string): Promise<void> => {
    const before = textIn(record.attributes.custom_fields[field.code])
    await set(record.id, valueOn(day, field, before)).then(
      () => {
        const message = `Moved ${nameOf(record)} to ${formatDayNear(day)}`
        showToast({ message, undo: () => set(record.id, before).then(() => undefined, tell) })
      },
      (error: Error) => tell(new Error(`${nameOf(record)} stays where it was: ${error.message}`)),
    )
  }
}

function tell({ message }: Error): void {
  showToast({ tone: 'danger', message })
}
