import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useResource } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Skeleton } from '../../components/states.tsx'
import { useHasDraft } from '../../drafts/new-record.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useListProperties, useProperties } from '../../properties/property.ts'
import { ResourceIcon } from '../../resource-icon.tsx'
import { appearanceOf } from '../../resources.ts'
import { Crumb, Header } from '../../shell/header.tsx'
import { useBoardField } from '../board/board-choice.ts'
import { BoardSkeleton } from '../board/board-skeleton.tsx'
import { useDateField } from '../calendar/calendar-field.ts'
import { type Column, columnOf, columnsIn, columnsText } from './columns.ts'
import { useGrouping } from './groups/grouping.ts'
import { Board, Calendar, RecordLines, RecordTable } from './layouts.ts'
import { CreateContext } from './list-end.tsx'
import { includedFields, useListQuery } from './list-query.ts'
import { useListState, useOpenView } from './list-state.ts'
import { useIsNarrow } from './narrow.ts'
import { PastePlace } from './paste-place.tsx'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'
import { Total } from './total.tsx'

const DraftDialog = chunk(async () => (await import('../../drafts/draft-dialog.tsx')).DraftDialog)

const route = getRouteApi('/$workspace/$resource')

/** The list, the board or the calendar of a resource. */
export function Records(): ReactNode {
  const { resource } = route.useParams()
  return <RecordsOf key={resource} resource={resource} />
}

function RecordsOf({ resource }: { resource: ResourceName }) {
  const definition = useResource(resource)
  const look = appearanceOf(definition)
  const { name, one } = look
  const { role } = useWorkspace()
  const [state] = useListState()
  const [columns, setColumns] = useColumns(resource)
  const narrow = useIsNarrow()
  const field = useBoardField(resource)
  const dateField = useDateField(resource)
  const boardField = state.layout === 'board' ? field : undefined
  const calendarField = state.layout === 'calendar' ? dateField : undefined
  const view = useOpenView(resource)
  const [begun, setDrafting] = useState(false)
  // A new record that was left unfinished is still there.
  const drafting = useHasDraft(resource) || begun
  const shown = useDraftColumns(resource, columns, drafting)
  const asked = useListQuery(resource, columns)
  const query = useMemo(() => ({ ...asked, fields: includedFields(definition, columns) }), [asked, definition, columns])
  const selection = useSelection({ filter: state.filter, q: state.q })
  const mayCreate = roleMay(role, 'create')
  const create = mayCreate ? () => setDrafting(true) : undefined
  useShortcut('c', `New ${one}`, mayCreate ? () => setDrafting(true) : undefined)
  return (
    <CreateContext value={create}>
      <Header
        icon={<ResourceIcon of={look} />}
        title={name}
        tab={view?.name}
        extra={
          <>
            {view && <Crumb>{view.name}</Crumb>}
            <Total resource={resource} query={query} />
          </>
        }
      >
        {create && (
          <Button look="primary" className="max-w-64" onClick={create}>
            <Plus aria-hidden />
            <span className="truncate max-sm:sr-only">New {one}</span>
          </Button>
        )}
      </Header>
      <Toolbar resource={resource} columns={columns} onColumns={setColumns} />
      <UnknownGroup resource={resource} />
      <Suspense
        fallback={
          boardField ? <BoardSkeleton columns={boardField.options.length} /> : <Skeleton className="m-4 w-1/3" />
        }
      >
        {boardField ? (
          <Board resource={resource} field={boardField} />
        ) : calendarField ? (
          <Calendar resource={resource} field={calendarField} />
        ) : narrow ? (
          <RecordLines resource={resource} query={query} columns={columns} selection={selection} />
        ) : (
          <RecordTable
            resource={resource}
            query={query}
            columns={shown}
            onColumns={setColumns}
            selection={selection}
            drafting={drafting}
            onDrafted={() => setDrafting(false)}
          />
        )}
      </Suspense>
      {drafting && (narrow || boardField || calendarField) && (
        <Suspense>
          <DraftDialog resource={resource} onClose={() => setDrafting(false)} />
        </Suspense>
      )}
      <SelectionBar resource={resource} query={query} selection={selection} />
      <PastePlace resource={resource} columns={columns} />
    </CreateContext>
  )
}

/** An address may name something that no record of the list has, or has no more. */
function UnknownGroup({ resource }: { resource: ResourceName }) {
  const [{ group_by, layout }, change] = useListState()
  const grouping = useGrouping(resource)
  if (group_by === undefined || grouping || layout === 'board') return null
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-warning-soft px-4 py-1 text-sm text-warning">
      <p role="status" className="min-w-48 flex-1 wrap-anywhere">
        This list cannot be grouped by “{group_by}”. It is shown without groups.
      </p>
      <Button size="small" onClick={() => change({ group_by: undefined })}>
        Remove the grouping
      </Button>
    </div>
  )
}

/** The columns of the list. They are part of the URL and are also stored on this device. */
function useColumns(resource: ResourceName): [Column[], (columns: readonly Column[]) => void] {
  const slug = useSlug()
  const properties = useListProperties(resource)
  const [{ columns: text, view }, change] = useListState()
  const place = `kith.columns.${slug}.${resource}`
  const columns = useMemo(() => columnsIn(text, properties), [text, properties])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address without columns is completed once, when it is opened
  useEffect(() => {
    const remembered = localStorage.getItem(place)
    if (text === undefined && view === undefined && remembered !== null) change({ columns: remembered })
  }, [place, text === undefined])
  const choose = (chosen: readonly Column[]) => {
    const next = columnsText(chosen)
    localStorage.setItem(place, next)
    change({ columns: next })
  }
  return [columns, choose]
}

/** Columns of required fields are shown while a new record is written. */
function useDraftColumns(resource: ResourceName, columns: Column[], drafting: boolean): Column[] {
  const properties = useProperties(resource)
  if (!drafting) return columns
  const missing = properties.filter(
    (property) =>
      'field' in property &&
      property.field?.required &&
      !columns.some((column) => column.property.key === property.key),
  )
  return [...columns, ...missing.map(columnOf)]
}
