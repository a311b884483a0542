import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { appearances } from '../../resources.ts'
import { Crumb, Header } from '../../shell/header.tsx'
import { useBoardField } from '../board/board-field.ts'
import { BoardSkeleton } from '../board/board-skeleton.tsx'
import { useDateField } from '../calendar/calendar-field.ts'
import { CreateContext } from './create-context.ts'
import { useHasDraft } from './draft.ts'
import { Board, Calendar, RecordLines, RecordTable } from './layouts.ts'
import { includedFields, useListQuery } from './list-query.ts'
import { useListState } from './list-state.ts'
import { useIsNarrow } from './narrow.ts'
import { useOpenView } from './open-view.ts'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'
import { Total } from './total.tsx'
import { useColumns, useDraftColumns } from './use-columns.ts'

const DraftDialog = chunk(async () => (await import('./draft-dialog.tsx')).DraftDialog)

const route = getRouteApi('/$workspace/$resource')

/** The list, the board or the calendar of a resource. */
export function Records(): ReactNode {
  const { resource } = route.useParams()
  return <RecordsOf key={resource} resource={resource} />
}

function RecordsOf({ resource }: { resource: ResourceName }) {
  const { icon: Icon, one, many } = appearances[resource]
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
  const query = useMemo(() => ({ ...asked, fields: includedFields(resource, columns) }), [asked, resource, columns])
  const selection = useSelection({ filter: state.filter, q: state.q })
  const mayCreate = roleMay(role, 'create')
  const create = mayCreate ? () => setDrafting(true) : undefined
  useShortcut('c', `New ${one}`, mayCreate ? () => setDrafting(true) : undefined)
  return (
    <CreateContext value={create}>
      <Header
        icon={<Icon />}
        title={many}
        tab={view?.name}
        extra={
          <>
            {view && <Crumb>{view.name}</Crumb>}
            <Total resource={resource} query={query} />
          </>
        }
      >
        {create && (
          <Button look="primary" onClick={create}>
            <Plus aria-hidden />
            <span className="max-sm:sr-only">New {one}</span>
          </Button>
        )}
      </Header>
      <Toolbar resource={resource} columns={columns} onColumns={setColumns} />
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
    </CreateContext>
  )
}
