import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Link2, Plus, Unlink } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { filesQuery } from '../../api/files.ts'
import type { PropertyChange } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf, type RecordDocument } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../components/tabs.tsx'
import { DraftNote } from '../../drafts/drafted-property.tsx'
import { draftAt, useDraftAt } from '../../drafts/drafts.ts'
import { useNamedDraft } from '../../drafts/new-record.ts'
import { placeOf, putChange, useDraftProblem, withDraft } from '../../drafts/property-draft.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { formatNumber } from '../../format/numbers.ts'
import { useAction } from '../../forms/save.ts'
import { pathOf } from '../../places.ts'
import {
  type BackReference,
  backReferenceFilter,
  backReferenceInput,
  countAttribute,
  kinOf,
} from '../../properties/back-references.ts'
import { type Property, type PropertyOf, useProperties } from '../../properties/property.ts'
import { linksEdit, referenceChange } from '../../properties/property-change.ts'
import { RecordName } from '../../properties/record-link.tsx'
import {
  type IncludedRecords,
  includedIn,
  type RelatedRecord,
  relatedTo,
  withIncluded,
} from '../../properties/related.ts'
import { RelatedPicker } from '../../properties/related-picker.tsx'
import { ShowProperty } from '../../properties/show-property.tsx'
import { avatarOf, counted, useAppearance, withArticle } from '../../resources.ts'
import { PendingUploads } from '../../uploads/pending-uploads.tsx'
import { useUploadsOf } from '../../uploads/uploads.ts'
import { Timeline } from '../activity/timeline.tsx'
import { Files } from '../files/files.tsx'
import { KIN_SHOWN, kinQuery } from './kin-queries.ts'
import { Overview } from './overview.tsx'

/** What happened to a record, an overview of it, its files, and the records that belong to it. */
export function Surroundings(props: {
  record: ApiRecord
  included: IncludedRecords
  /** What the overview begins with, where it has no other place. */
  about: ReactNode
}) {
  const { record, included, about } = props
  const kin = kinOf(useResource(record.type))
  const slug = useSlug()
  const uploads = useUploadsOf(slug, record)
  const files = useInfiniteQuery(filesQuery(slug, record)).data?.pages[0]?.meta.total ?? 0
  const { comment } = useSearch({ strict: false })
  const [tab, setTab] = useState('activity')
  useEffect(() => {
    if (comment !== undefined) setTab('activity')
  }, [comment])
  return (
    <Tabs value={tab} onValueChange={setTab} className="mt-6">
      <PendingUploads uploads={uploads} />
      <TabList aria-label="Related" className="flex-wrap gap-y-0">
        <Tab value="activity" className={look}>
          Activity
        </Tab>
        <Tab value="overview" className={look}>
          Overview
        </Tab>
        <Tab value="files" className={look}>
          Files
          <Count of={files} />
        </Tab>
        {kin.map((one) => (
          <RelatedTab key={tabOf(one)} kin={one} record={record} />
        ))}
      </TabList>
      <TabPanel value="activity" className="pt-4 outline-none">
        <Timeline record={record} />
      </TabPanel>
      <TabPanel value="overview" className="pt-4 outline-none">
        {about}
        <Overview record={record} included={included} />
      </TabPanel>
      <TabPanel value="files" className="pt-4 outline-none">
        <Files record={record} />
      </TabPanel>
      {kin.map((one) => (
        <TabPanel key={tabOf(one)} value={tabOf(one)} className="pt-2 outline-none">
          <RelatedList kin={one} record={record} />
        </TabPanel>
      ))}
    </Tabs>
  )
}

function Count({ of }: { of: number }) {
  if (of === 0) return null
  return (
    <span data-numeric className="text-xs text-faint">
      {formatNumber(of)}
    </span>
  )
}

const look = 'inline-flex items-center gap-1.5'

function tabOf({ resource, relation }: BackReference): string {
  // A part of ids, which have no spaces.
  return `${resource}.${relation}`
}

/** The name of a tab, and how many records are in it. */
function RelatedTab({ kin, record }: { kin: BackReference; record: ApiRecord }) {
  const { icon: Icon, name } = useAppearance(kin.resource)
  // A list that is loaded knows it better than the record, which does not change with it.
  const { data } = useQuery({ ...kinQuery(useSlug(), kin, record), enabled: false })
  const count = data?.meta.total ?? record.attributes[countAttribute(kin)]
  return (
    <Tab value={tabOf(kin)} className={look}>
      <Icon aria-hidden className="size-4" />
      {kin.inverse?.name ?? name}
      {typeof count === 'number' && <Count of={count} />}
    </Tab>
  )
}

/** The records of one kind that belong to a record, the latest first. */
function RelatedList({ kin, record }: { kin: BackReference; record: ApiRecord }) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const words = useAppearance(kin.resource)
  const { data, error, refetch } = useQuery(kinQuery(slug, kin, record))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  const included = data ? includedIn(data) : new Map()
  return (
    <>
      <div className="flex items-start gap-1">
        {roleMay(role, 'create') && <QuickAdd kin={kin} record={record} />}
        {roleMay(role, 'update') && <LinkExisting kin={kin} record={record} linked={data?.data ?? []} />}
      </div>
      {!data && <Skeleton className="mt-4 w-1/2" />}
      {data?.data.length === 0 && <p className="px-2 py-3 text-sm text-faint">No {words.many} yet.</p>}
      <ul className="mt-1">
        {data?.data.map((one) => (
          <RelatedRow key={one.id} kin={kin} record={one} included={included} of={record.id} />
        ))}
      </ul>
      {data && data.meta.total > KIN_SHOWN && (
        <Link
          to="/$workspace/$resource"
          params={{ workspace: slug, resource: kin.resource }}
          search={{ filter: backReferenceFilter(kin, record.id) }}
          className="mt-2 inline-block px-2 text-sm text-accent hover:underline"
        >
          All {counted(data.meta.total, words)}
        </Link>
      )}
    </>
  )
}

/** A line in which a name and Enter make a record that belongs to this one. */
function QuickAdd({ kin, record }: { kin: BackReference; record: ApiRecord }) {
  const { one } = useAppearance(kin.resource)
  const { typed, isWaiting, problem, type, create } = useNamedDraft({
    resource: kin.resource,
    at: `${kin.attribute} ${record.id}`,
    label: `New ${one} of ${nameOf(record)}`,
    page: pathOf(useSlug(), record.type, record.id),
    values: backReferenceInput(kin, record.id),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create()
  }
  return (
    <form onSubmit={submit} className="min-w-0 flex-1">
      <label className="flex h-9 items-center gap-2 rounded-md px-2 text-quiet focus-within:bg-hover hover:bg-hover">
        <Plus aria-hidden className="size-4 shrink-0" />
        <input
          dir="auto"
          aria-label={`New ${one}`}
          placeholder={`Add ${withArticle(one)}…`}
          value={typed}
          readOnly={isWaiting}
          onChange={({ target }) => type(target.value)}
          className="h-full min-w-0 flex-1 bg-transparent text-sm text-ink outline-none placeholder:text-faint"
        />
      </label>
      {problem !== undefined && (
        <p role="alert" className="px-2 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}

/** A button that finds a record which exists already, and makes it one of these. */
function LinkExisting(props: { kin: BackReference; record: ApiRecord; linked: readonly ApiRecord[] }) {
  const { kin, record, linked } = props
  const slug = useSlug()
  const { one } = useAppearance(kin.resource)
  const link = useLink(kin)
  const place = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    // Unless the user went on to something else.
    requestAnimationFrame(() => document.activeElement === document.body && place.current?.focus())
  }
  const linking = useAction(async ([chosen]: readonly RelatedRecord[]) => {
    if (!chosen || !link) return
    const path = `/w/${slug}/v1/${kin.resource}/${chosen.id}?include=${kin.relation}`
    const found = await call<RecordDocument>('GET', path)
    if (isLinked(found.data, kin, record.id)) return
    const before = relatedTo(found.data, kin.relation, includedIn(found))
    const itself = { id: record.id, type: record.type, name: nameOf(record) }
    const after = link.kind === 'links' ? [...before, itself] : [itself]
    const pending = draftAt(placeOf(slug, link, found.data))?.change
    const undo = linkChange(link, before, { edit: { $remove: [record.id] }, pending: undefined })
    const change = linkChange(link, after, { edit: { $add: [record.id] }, pending })
    const told = { message: `Linked ${chosen.name}`, undo }
    putChange({ slug, property: link, record: found.data, told, direct: true }, change, 'waiting')
  })
  if (!link) return null
  return (
    <span className="relative">
      <IconButton ref={place} label={`Link an existing ${one}`} onClick={() => setOpen(true)}>
        <Link2 />
      </IconButton>
      {open && (
        <RelatedPicker
          label={`an existing ${one}`}
          to={kin.resource}
          creates={false}
          without={[record.id, ...linked.map(({ id }) => id)]}
          chosen={[]}
          onSave={(chosen) => {
            close()
            linking.mutate(chosen)
          }}
          onType={() => undefined}
          onLeave={close}
          onCancel={close}
        />
      )}
    </span>
  )
}

type Props = {
  kin: BackReference
  record: ApiRecord
  included: IncludedRecords
  /** The id of the record whose page this is. */
  of: string
}

/** One of the records that belong to another: its name, the two values that say most, and the way to part them. */
function RelatedRow({ kin, record, included, of }: Props) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const properties = useProperties(kin.resource)
  const told = properties.filter(isTelling).slice(0, 2)
  const link = useLink(kin)
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

function Part({ property, record, included, of }: Omit<Props, 'kin'> & { property: LinkProperty }) {
  const slug = useSlug()
  const draft = useDraftAt(placeOf(slug, property, record))
  const part = () => {
    const before = relatedTo(withDraft(record, draft), property.include, withIncluded(included, draft?.change.included))
    const left = before.filter(({ id }) => id !== of)
    const undo = linkChange(property, before, { edit: { $add: [of] }, pending: undefined })
    const change = linkChange(property, left, { edit: { $remove: [of] }, pending: draft?.change })
    const told = { message: `Unlinked ${nameOf(record)}`, undo }
    putChange({ slug, property, record, told, direct: true }, change, 'waiting')
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

function linkChange(
  property: LinkProperty,
  to: readonly RelatedRecord[],
  how: Parameters<typeof linksEdit>[2],
): PropertyChange {
  return property.kind === 'links' ? linksEdit(property, to, how) : referenceChange(property, to[0])
}

/** The property that joins the records. */
function useLink({ resource, attribute }: BackReference): LinkProperty | undefined {
  return useProperties(resource).find(
    (property): property is LinkProperty =>
      (property.kind === 'links' || property.kind === 'reference') && property.attribute === attribute,
  )
}

function isLinked({ relationships }: ApiRecord, { relation }: BackReference, of: string): boolean {
  const { data = null } = relationships?.[relation] ?? {}
  return Array.isArray(data) ? data.some(({ id }) => id === of) : data?.id === of
}

/** Long texts say too much for a line. */
function isTelling(property: Property): boolean {
  return property.kind === 'custom' && !fieldTypes[property.field.type].multiline
}
