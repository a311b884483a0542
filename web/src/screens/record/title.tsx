import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { Link } from '@tanstack/react-router'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { EditableProperty } from '../../drafts/editable-property.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { useProperties } from '../../properties/property.ts'
import type { IncludedRecords } from '../../properties/related.ts'
import { avatarOf, useAppearance } from '../../resources.ts'

/** The record's name as a heading, edited in place. */
export function Title({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const name = useProperties(record.type).find(({ kind }) => kind === 'name')
  const avatar = avatarOf(record.type)
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

/** Says that the record on the screen is gone meanwhile. It stays on the screen, with its unsaved text. */
export function GoneNote({ resource, error }: { resource: ResourceName; error: Error | null }) {
  const slug = useSlug()
  const { one } = useAppearance(resource)
  if (!(error instanceof KithError) || error.kind !== 'not_found') return null
  const winner = error.merged_into?.id
  return (
    <p role="alert" className="shrink-0 border-b border-line bg-warning-soft px-4 py-2 text-sm text-warning">
      {winner === undefined ? (
        `This ${one} was deleted meanwhile, or you no longer have access to it.`
      ) : (
        <>
          This {one} was merged into another one meanwhile.{' '}
          <Link to="/$workspace/$resource/$id" params={{ workspace: slug, resource, id: winner }} className="underline">
            Open that {one}
          </Link>
        </>
      )}
    </p>
  )
}
