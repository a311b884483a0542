import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import { Unlink } from 'lucide-react'
import { useDraftAt } from '../../api/drafts.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { classNames } from '../../components/class-names.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { DraftNote } from '../../properties/draft-note.tsx'
import type { Property, PropertyOf } from '../../properties/property.ts'
import { linksChange, referenceChange } from '../../properties/property-change.ts'
import { placeOf, putChange, useDraftProblem, withDraft } from '../../properties/property-draft.ts'
import { RecordName } from '../../properties/record-name.tsx'
import { type Included, type Related, relatedTo } from '../../properties/related.ts'
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
  const properties = useProperties(kin.resource)
  const told = properties.filter(isTelling).slice(0, 2)
  const link = properties.find((property): property is LinkProperty => isLink(property, kin))
  const draft = useDraftAt(placeOf(slug, { key: link?.key ?? kin.relation }, record))
  const problem = useDraftProblem(draft)
  const isParted = !isLinked(withDraft(record, draft), kin, of)
  // The service has parted them, and the list is not loaded again yet.
  if (!isLinked(record, kin, of)) return null
  return (
    <li aria-busy={isParted}>
      <div
        className={classNames(
          'group flex h-9 items-center gap-2 rounded-md px-2 hover:bg-hover',
          isParted && 'line-through opacity-60',
        )}
      >
        {kin.resource === 'tasks' && <TaskCheck task={record} />}
        {avatarOf(kin.resource) && <Avatar name={nameOf(record)} shape={avatarOf(kin.resource)} />}
        <RecordName record={record} className="font-medium" />
        {told.map((property) => (
          <span
            key={property.key}
            className="w-44 shrink-0 truncate text-sm text-quiet max-md:w-24 max-sm:last-of-type:hidden"
          >
            <ShowProperty property={property} record={record} included={included} />
          </span>
        ))}
        {roleMay(role, 'update') && link && !isParted && (
          <Part property={link} record={record} included={included} of={of} />
        )}
      </div>
      {isParted && (
        <div className="px-2">
          <DraftNote own={{ draft, problem }} />
        </div>
      )}
    </li>
  )
}

type LinkProperty = PropertyOf<'links' | 'reference'>
type PartProps = Omit<Props, 'kin'> & { property: LinkProperty }

function Part({ property, record, included, of }: PartProps) {
  const slug = useSlug()
  const before = relatedTo(record, property.include, included)
  const changeTo = (related: readonly Related[]) =>
    property.kind === 'links' ? linksChange(property, related) : referenceChange(property, related[0])
  const part = () => {
    const told = { message: `Unlinked ${nameOf(record)}`, undo: changeTo(before) }
    putChange({ slug, property, record, told, direct: true }, changeTo(before.filter(({ id }) => id !== of)), 'waiting')
  }
  return (
    <IconButton
      label={`Unlink ${nameOf(record)}`}
      size="small"
      className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      onClick={part}
    >
      <Unlink />
    </IconButton>
  )
}

/** Whether a property is the one that joins the records. */
function isLink(property: Property, { attribute }: Kin): property is LinkProperty {
  return (property.kind === 'links' || property.kind === 'reference') && property.attribute === attribute
}

function isLinked({ relationships }: ApiRecord, { relation }: Kin, of: string): boolean {
  const { data = null } = relationships?.[relation] ?? {}
  return Array.isArray(data) ? data.some(({ id }) => id === of) : data?.id === of
}

/** Long texts say too much for a line. */
function isTelling(property: Property): boolean {
  return property.kind === 'custom' && !fieldTypes[property.field.type].multiline
}
