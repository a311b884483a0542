import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, Copy, CopyPlus, Ellipsis, Link2, Trash2 } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import type { PropertyChange } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf, type RecordDocument } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useApiAddress } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { IconButton } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { copyText } from '../../components/copy.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toast-store.ts'
import { deleteRecord, useOnDeleted } from '../../drafts/record-acts.ts'
import { copyOf, needsMore, useCopy } from '../../drafts/record-copy.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useProperties } from '../../properties/property.ts'
import { type IncludedRecords, includedIn } from '../../properties/related.ts'
import { ResourceIcon } from '../../resource-icon.tsx'
import { appearanceOf, useAppearance } from '../../resources.ts'
import { noteVisit } from '../../shell/device-settings.ts'
import { Crumb, Header } from '../../shell/header.tsx'
import { FileDrop } from '../files/file-drop.tsx'
import { useGroupings } from '../records/groups/grouping.ts'
import { useGroups } from '../records/groups/use-groups.ts'
import { useHasOneColumn } from '../records/narrow.ts'
import { type ListOrigin, noteOpenedList, openedList } from '../records/opened-list.ts'
import { PAGE_SIZE, type RecordWindow, useRecordWindow } from '../records/record-window.ts'
import { recordRow } from '../records/use-peek.ts'
import { recordCalls } from '../use-in-api/list-calls.ts'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import { Body } from './body.tsx'
import { Details } from './details.tsx'
import { Facts } from './facts.tsx'
import { FollowButton } from './follow-button.tsx'
import { GoneNote } from './gone-note.tsx'
import { useInclude, useRecord } from './record-query.ts'
import { Surroundings } from './surroundings.tsx'
import { Title } from './title.tsx'

const DraftDialog = chunk(async () => (await import('../../drafts/draft-dialog.tsx')).DraftDialog)

const route = getRouteApi('/$workspace/$resource/$id')

/** Everything about one record. Values are edited in place. */
export function RecordPage() {
  const { resource, id } = route.useParams()
  return <PageOf key={`${resource} ${id}`} resource={resource} id={id} />
}

function PageOf({ resource, id }: { resource: ResourceName; id: string }) {
  const { name } = useAppearance(resource)
  const { data, error, refetch } = useRecord(resource, id)
  if (data) {
    return (
      <>
        <GoneNote document={data} error={error} />
        <Page document={data} />
      </>
    )
  }
  if (error instanceof KithError && error.kind === 'not_found')
    return <Missing resource={resource} winner={error.merged_into?.id} />
  if (error) {
    return (
      <>
        <Header title={name} />
        <ErrorState error={error} onRetry={refetch} />
      </>
    )
  }
  return <PageSkeleton />
}

function Page({ document }: { document: RecordDocument }) {
  const { data: record } = document
  const included = includedIn(document)
  useVisit(record)
  const hasOneColumn = useHasOneColumn()
  const properties = useProperties(record.type)
  const bodies = properties.filter(
    (one) => one.kind === 'custom' && fieldTypes[one.field.type].multiline === 'markdown',
  )
  return (
    <>
      <RecordHeader record={record} included={included} />
      {/* The details are next to the rest where there is room, and a part of the overview where there is none. */}
      <FileDrop record={record} className="flex min-h-0 flex-1 flex-col">
        <div className="[container-type:size] min-h-0 flex-1 overflow-y-auto">
          <div className="min-h-full lg:grid lg:grid-cols-[minmax(0,1fr)_24rem]">
            <div className="px-4 py-5 md:px-8">
              <div className="mx-auto max-w-180">
                <Title level={1} record={record} included={included} />
                {bodies.map(
                  (property) =>
                    property.kind === 'custom' && <Body key={property.key} property={property} record={record} />,
                )}
                {!hasOneColumn && <Facts record={record} />}
                <Surroundings
                  record={record}
                  included={included}
                  about={
                    hasOneColumn && (
                      <>
                        <Facts record={record} />
                        <Details record={record} included={included} className="my-5" />
                      </>
                    )
                  }
                />
              </div>
            </div>
            {!hasOneColumn && (
              <Details
                record={record}
                included={included}
                className="sticky top-0 h-[100cqh] overflow-y-auto border-l border-line px-4 py-5"
              />
            )}
          </div>
        </div>
      </FileDrop>
    </>
  )
}

/** Pages that were opened are found again in the search. */
function useVisit(record: ApiRecord): void {
  const slug = useSlug()
  const name = nameOf(record)
  useEffect(() => noteVisit(slug, { resource: record.type, id: record.id, name }), [slug, record.type, record.id, name])
}

/** `winner`: the id of the record that it was merged into. */
function Missing({ resource, winner }: { resource: ResourceName; winner: string | undefined }) {
  const slug = useSlug()
  const { icon, name, one, many } = useAppearance(resource)
  const place = { workspace: slug, resource }
  const look = 'text-sm text-accent hover:underline'
  const text = winner ? 'Everything that belonged to it is there now.' : 'It may have been deleted.'
  return (
    <>
      <Header title={name} />
      <EmptyState
        icon={icon}
        title={winner ? `This ${one} was merged into another one` : `There is no such ${one}`}
        text={text}
      >
        {winner ? (
          <Link to="/$workspace/$resource/$id" params={{ ...place, id: winner }} className={look}>
            Open that {one}
          </Link>
        ) : (
          <Link to="/$workspace/$resource" params={place} className={look}>
            All {many}
          </Link>
        )}
      </EmptyState>
    </>
  )
}

function PageSkeleton() {
  return (
    <>
      <Header title={<Skeleton className="w-40" />} />
      <div aria-busy="true" role="status" aria-label="Loading" className="flex-1 px-4 py-6 md:px-8">
        <div className="mx-auto grid max-w-180 gap-4">
          <Skeleton className="h-6 w-72" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </div>
      </div>
    </>
  )
}

/** Where the record belongs, and what can be done with it as a whole. */
function RecordHeader({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const slug = useSlug()
  const api = useApiAddress()
  const include = useInclude(record.type)
  const definition = useResource(record.type)
  const look = appearanceOf(definition)
  const { name, one } = look
  const list = (
    <Link
      to="/$workspace/$resource"
      params={{ workspace: slug, resource: record.type }}
      search={openedList(slug, record.type)?.state ?? {}}
      className="text-quiet hover:text-ink"
    >
      {name}
    </Link>
  )
  return (
    <Header
      icon={<ResourceIcon of={look} />}
      title={list}
      leadsBack
      tab={nameOf(record)}
      extra={<Crumb>{nameOf(record)}</Crumb>}
    >
      <Neighbours key={record.id} record={record} />
      <FollowButton record={record} />
      <UseInApi
        description={`The calls that answer with this ${one}.`}
        calls={async () =>
          recordCalls(api, record.type, { id: record.id, attributes: writable(record, definition), include })
        }
      />
      <RecordMenu record={record} included={included} />
    </Header>
  )
}

function RecordMenu({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  const definition = useResource(record.type)
  const { one } = appearanceOf(definition)
  const [completing, setCompleting] = useState<PropertyChange>()
  const open = (id: string) =>
    void navigate({ to: '/$workspace/$resource/$id', params: { workspace: slug, resource: record.type, id } })
  const create = useCopy(record, definition, open)
  const duplicate = () => {
    if (needsMore(definition)) setCompleting({ ...copyOf(record, definition), included: [...included.values()] })
    else create()
  }
  const copy = async (text: string, what: string) => {
    await copyText(text)
    showToast({ message: `Copied the ${what}` })
  }
  const removeIt = () => deleteRecord({ slug, resource: record.type, id: record.id, name: nameOf(record) })
  // The record stays on the screen until then: the service may be away, and the list not loaded.
  useOnDeleted(record, () => {
    const search = openedList(slug, record.type)?.state ?? {}
    void navigate({ to: '/$workspace/$resource', params: { workspace: slug, resource: record.type }, search })
  })
  const copyId = () => copy(record.id, 'ID')
  useShortcut('.', 'Copy the ID', copyId)
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <IconButton label={`More about this ${one}`}>
            <Ellipsis />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem icon={<Copy />} keys="." onSelect={copyId}>
            Copy ID
          </MenuItem>
          <MenuItem icon={<Link2 />} onSelect={() => copy(window.location.href, 'link')}>
            Copy link
          </MenuItem>
          {roleMay(role, 'create') && (
            <MenuItem icon={<CopyPlus />} onSelect={duplicate}>
              Duplicate {one}
            </MenuItem>
          )}
          {roleMay(role, 'delete') && (
            <>
              <MenuLine />
              <MenuItem icon={<Trash2 />} danger onSelect={removeIt}>
                Delete {one}
              </MenuItem>
            </>
          )}
        </MenuContent>
      </Menu>
      {completing && (
        <Suspense>
          <DraftDialog resource={record.type} initial={completing} onClose={() => setCompleting(undefined)} />
        </Suspense>
      )}
    </>
  )
}

/** The attributes that a caller can send back. */
function writable({ attributes }: ApiRecord, { label, references }: Resource): Record<string, unknown> {
  const written = [label, ...Object.keys(references), 'custom_fields']
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => written.includes(name)))
}

/** The previous and the next record, in the order of the list from which this one was opened. */
function Neighbours({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const [opened] = useState(() => openedList(slug, record.type))
  return opened ? <InList record={record} opened={opened} /> : null
}

function InList({ record: { id, type }, opened }: { record: ApiRecord; opened: ListOrigin }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const window = useOpenedWindow(type, opened)
  const row = rowOf(id, window, opened.row)
  const isHere = window.rowAt(row)?.record.id === id
  const previous = recordRow(window, row - 1, -1)
  // A record that has left the list has given its row to the next one.
  const next = recordRow(window, isHere ? row + 1 : row, 1)
  const open = (to: number | undefined) => {
    const found = to === undefined ? undefined : window.rowAt(to)
    if (to === undefined || !found) return
    noteOpenedList(slug, { ...opened, row: to })
    navigate({ to: '/$workspace/$resource/$id', params: { workspace: slug, resource: type, id: found.record.id } })
  }
  useShortcut('j', 'Next record of the list', next === undefined ? undefined : () => open(next))
  useShortcut('k', 'Previous record of the list', previous === undefined ? undefined : () => open(previous))
  return (
    <div className="flex items-center">
      <IconButton label="Previous record" keys="k" disabled={previous === undefined} onClick={() => open(previous)}>
        <ChevronUp />
      </IconButton>
      <IconButton label="Next record" keys="j" disabled={next === undefined} onClick={() => open(next)}>
        <ChevronDown />
      </IconButton>
    </div>
  )
}

function useOpenedWindow(resource: ResourceName, { state: { folded }, query, by, row }: ListOrigin): RecordWindow {
  const grouping = useGroupings(resource).find((one) => one.by === by)
  const groups = useGroups(resource, { query, grouping, folded })
  return useRecordWindow(resource, groups.segments, { first: Math.max(0, row - 1), last: row + 1 })
}

/** Where the record is now. Others may have moved it since the list was shown. */
function rowOf(id: string, window: RecordWindow, kept: number): number {
  for (let away = 0; away < PAGE_SIZE; away++) {
    for (const row of [kept + away, kept - away]) if (window.rowAt(row)?.record.id === id) return row
  }
  return kept
}
