import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import { Link } from '@tanstack/react-router'
import { Unlink } from 'lucide-react'
import { useRecordUpdate } from '../../api/record-changes.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { showToast } from '../../components/toast-store.ts'
import type { Property } from '../../properties/property.ts'
import { type Included, relatedTo } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { useProperties } from '../../properties/use-properties.ts'
import { avatarOf } from '../../resources.ts'
import type { Kin } from './kin.ts'

type Props = {
  kin: Kin
  record: ApiRecord
  included: Included
  /** The id of the record whose page this is. */
  of: string
}

/** One of the records that belong to another: its name, the two values that say most, and the way to part them. */
export function RelatedRow({ kin, record, included, of }: Props) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const told = useProperties(kin.resource).filter(isTelling).slice(0, 2)
  return (
    <li className="group flex h-9 items-center gap-2 rounded-md px-2 hover:bg-hover">
      {kin.resource === 'tasks' && <TaskCheck task={record} />}
      {avatarOf(kin.resource) && <Avatar name={nameOf(record)} shape={avatarOf(kin.resource)} />}
      <Link
        to="/$workspace/$resource/$id"
        params={{ workspace: slug, resource: kin.resource, id: record.id }}
        dir="auto"
        className="min-w-0 flex-1 truncate text-sm font-medium hover:underline"
      >
        {nameOf(record)}
      </Link>
      {told.map((property) => (
        <span
          key={property.key}
          className="w-44 shrink-0 truncate text-sm text-quiet max-md:w-24 max-sm:last-of-type:hidden"
        >
          <ShowProperty property={property} record={record} included={included} />
        </span>
      ))}
      {roleMay(role, 'update') && <Part kin={kin} record={record} included={included} of={of} />}
    </li>
  )
}

function Part({ kin, record, included, of }: Props) {
  const update = useRecordUpdate(kin.resource)
  const before = relatedTo(record, kin.relation, included).map(({ id }) => id)
  const set = (ids: readonly string[]) =>
    update.mutateAsync({ id: record.id, input: { [kin.attribute]: kin.many ? ids : (ids[0] ?? null) }, shown: {} })
  const part = async () => {
    await set(before.filter((id) => id !== of))
    showToast({ message: `Unlinked ${nameOf(record)}`, undo: async () => void (await set(before)) })
  }
  return (
    <IconButton
      label={`Unlink ${nameOf(record)}`}
      size="small"
      className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      onClick={() => part().catch((error: Error) => showToast({ tone: 'danger', message: error.message }))}
    >
      <Unlink />
    </IconButton>
  )
}

/** Long texts say too much for a line. */
function isTelling(property: Property): boolean {
  return property.kind === 'custom' && !fieldTypes[property.field.type].multiline
}
