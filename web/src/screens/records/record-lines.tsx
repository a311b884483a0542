import type { ResourceName } from '@kith/contract/resource'
import { Link } from '@tanstack/react-router'
import { type MouseEvent, Suspense } from 'react'
import { nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Checkbox } from '../../components/controls.tsx'
import { Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { formatAgo } from '../../format/moments.ts'
import { RepeatSign } from '../../properties/repeat-sign.tsx'
import { ShowProperty } from '../../properties/show-property.tsx'
import { DUE_DATE } from '../../properties/task-state.ts'
import { avatarOf, useAppearance } from '../../resources.ts'
import type { Column } from './columns.ts'
import { GroupName } from './groups/group-name.tsx'
import { ListEnd } from './list-end.tsx'
import type { ListQuery } from './list-query.ts'
import { useListState } from './list-state.ts'
import { useListWindow } from './list-window.ts'
import { noteOpenedList } from './opened-list.ts'
import type { RecordRow } from './record-window.ts'
import type { Selection } from './selection.ts'
import { clickedRow } from './use-peek.ts'

const PeekPanel = chunk(async () => (await import('../peek/peek-panel.tsx')).PeekPanel)

const LINE_HEIGHT = 60
/** So many values fit below a name. */
const VALUES = 2

type Props = { resource: ResourceName; query: ListQuery; columns: readonly Column[]; selection: Selection }

/** The list where there is no room for a table: two lines for each record. */
export function RecordLines({ resource, query, columns, selection }: Props) {
  const list = useListWindow({ resource, query, rowHeight: LINE_HEIGHT, head: 0 })
  const { virtual, total, rowAt } = list
  const { name } = useAppearance(resource)
  const slug = useSlug()
  const [state, change] = useListState()
  const note = (event: MouseEvent) => {
    const row = clickedRow(event)
    if (row !== undefined) noteOpenedList(slug, { resource, state, query, by: list.grouping?.by, row })
  }
  const drawn = total !== 0 && !(list.error && total === undefined)
  return (
    <div ref={virtual.scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul aria-label={name} onClickCapture={note} className="relative" style={{ height: drawn ? virtual.height : 0 }}>
        {drawn &&
          virtual.rows.map(({ index, top }) => {
            const group = list.groupAt(index)
            return (
              <li
                key={index}
                data-row={index}
                className="absolute inset-x-0 border-b border-line"
                style={{ transform: `translateY(${top}px)`, height: LINE_HEIGHT }}
              >
                {group && list.grouping ? (
                  <button
                    type="button"
                    aria-expanded={group.open}
                    onClick={() => list.toggleGroup(group.key)}
                    className="flex size-full items-center bg-sunk px-4 text-base"
                  >
                    <GroupName grouping={list.grouping} group={group} />
                  </button>
                ) : (
                  <Lines found={rowAt(index)} columns={columns} selection={selection} />
                )}
              </li>
            )
          })}
      </ul>
      <ListEnd resource={resource} list={list} />
      {state.peek !== undefined && (
        <Suspense>
          <PeekPanel resource={resource} id={state.peek} onClose={() => change({ peek: undefined })} />
        </Suspense>
      )}
    </div>
  )
}

function Lines({ found, columns, selection }: { found: RecordRow | undefined } & Pick<Props, 'columns' | 'selection'>) {
  const slug = useSlug()
  if (!found) {
    return (
      <div className="grid h-full content-center gap-2.5 pl-12">
        <Skeleton className="w-40" />
        <Skeleton className="w-24" />
      </div>
    )
  }
  const { record, included } = found
  const { id, type } = record
  const name = nameOf(record)
  const avatar = avatarOf(type)
  const values = columns.filter(({ property }) => property.kind !== 'name').slice(0, VALUES)
  // The due date has the sign with it.
  const isDated = values.some(({ property }) => property.kind === 'custom' && property.field.code === DUE_DATE)
  return (
    <div className="flex h-full items-center">
      <div className="grid h-full w-12 shrink-0 place-items-center">
        <Checkbox
          aria-label={`Select ${name}`}
          checked={selection.has(id)}
          onCheckedChange={(on) => selection.toggle(id, on === true)}
        />
      </div>
      <div className="min-w-0 flex-1 pr-4">
        <div className="flex h-6 items-center gap-3">
          {type === 'tasks' && <TaskCheck task={record} />}
          <Link
            to="/$workspace/$resource/$id"
            params={{ workspace: slug, resource: type, id }}
            className="flex h-full min-w-0 flex-1 items-center gap-2 text-base font-medium"
          >
            {avatar && <Avatar name={name} shape={avatar} size={20} />}
            <span dir="auto" className="truncate">
              {name}
            </span>
          </Link>
          {type === 'tasks' && !isDated && <RepeatSign task={record} />}
        </div>
        <div className="flex h-5 items-center gap-3 overflow-hidden text-xs text-quiet">
          {values.map(({ property }) => (
            <span key={property.key} className="min-w-0 empty:hidden">
              <ShowProperty property={property} record={record} included={included} />
            </span>
          ))}
          <time dateTime={record.attributes.created_at} className="ml-auto shrink-0 text-faint">
            {formatAgo(record.attributes.created_at)}
          </time>
        </div>
      </div>
    </div>
  )
}
