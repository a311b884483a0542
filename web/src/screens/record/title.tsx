import type { ApiRecord } from '../../api/records.ts'
import { nameOf } from '../../api/records.ts'
import { Avatar } from '../../components/avatar.tsx'
import { EditableProperty } from '../../properties/editable-property.tsx'
import type { Included } from '../../properties/related.ts'
import { TaskCheck } from '../../properties/task-check.tsx'
import { useProperties } from '../../properties/use-properties.ts'
import { appearances } from '../../resources.ts'

/** The record's name as a heading, edited in place. */
export function Title({ record, included }: { record: ApiRecord; included: Included }) {
  const name = useProperties(record.type).find(({ kind }) => kind === 'name')
  const { avatar } = appearances[record.type]
  return (
    <div className="-ml-2 flex items-start gap-2">
      {avatar && (
        <span className="ml-2 mt-1">
          <Avatar name={nameOf(record)} shape={avatar} size={32} />
        </span>
      )}
      {record.type === 'tasks' && (
        <span className="ml-2 mt-2">
          <TaskCheck task={record} />
        </span>
      )}
      {name && (
        <EditableProperty
          property={name}
          record={record}
          included={included}
          className="min-w-0 flex-1 [&_*]:text-xl [&_*]:font-semibold"
        />
      )}
    </div>
  )
}
