import type { ResourceName } from '@kith/contract/resource'
import { type MouseEvent, useEffect, useRef } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import type { ListQuery } from './list-query.ts'
import { useListState } from './list-state.ts'
import type { ListWindow } from './list-window.ts'
import { noteOpenedList } from './opened-list.ts'

/** The record next to the list. It follows the current row, which J and K move as well. */
export function usePeek(options: {
  resource: ResourceName
  query: ListQuery
  list: ListWindow
  /** The current row, and how to change it. */
  active: number
  move(row: number): void
}): {
  /** The id of the record next to the list. */
  id: string | undefined
  toggle(row: number): void
  close(): void
  /** Undefined at the ends of the list. */
  previous: (() => void) | undefined
  next: (() => void) | undefined
  /** Remembers the list and the row, for the page of the record. */
  noteRow(row?: number): void
} {
  const { resource, query, list, active, move } = options
  const slug = useSlug()
  const [state, change] = useListState()
  const { peek: id } = state
  const at = id === undefined ? active : (rowOf(id, list, active) ?? active)
  const followed = useRef(active)
  useEffect(() => {
    const found = list.rowAt(active)
    if (followed.current === active || !found) return
    followed.current = active
    if (id !== undefined && id !== found.record.id) change({ peek: found.record.id })
  })
  const previous = recordRow(list, at - 1, -1)
  const next = recordRow(list, at + 1, 1)
  const step = (row: number | undefined) => (row === undefined ? undefined : () => move(row))
  const close = () => change({ peek: undefined })
  // The first key goes to the current row, the others move on.
  const first = recordRow(list, at, 1)
  const isInList = () => id !== undefined || (list.virtual.scroller.current?.contains(document.activeElement) ?? false)
  const go = (row: number | undefined) => {
    const to = isInList() ? row : first
    if (to !== undefined) move(to)
  }
  useShortcut('j', 'Down the list', first === undefined ? undefined : () => go(next))
  useShortcut('k', 'Up the list', first === undefined ? undefined : () => go(previous))
  useShortcut('Escape', 'Close the record next to the list', id === undefined ? undefined : close)
  return {
    id,
    close,
    previous: step(previous),
    next: step(next),
    toggle(row) {
      const found = list.rowAt(row)
      if (found) change({ peek: found.record.id === id ? undefined : found.record.id })
    },
    noteRow(row = at) {
      noteOpenedList(slug, { resource, state, query, by: list.grouping?.by, row })
    },
  }
}

/** The row of the list in which a link was clicked. */
export function clickedRow({ target }: MouseEvent): number | undefined {
  const place = target instanceof Element && target.closest('a') ? target.closest('[data-row]') : null
  return place instanceof HTMLElement ? Number(place.dataset.row) : undefined
}

/** The row of a record, if it is near the current one or visible. */
function rowOf(id: string, list: ListWindow, active: number): number | undefined {
  if (list.rowAt(active)?.record.id === id) return active
  return list.virtual.rows.find(({ index }) => list.rowAt(index)?.record.id === id)?.index
}

/** The next row in a direction that is a record and not the head of a group. */
export function recordRow(list: Pick<ListWindow, 'rowAt' | 'groupAt'>, from: number, step: 1 | -1): number | undefined {
  let row = from
  while (list.groupAt(row)) row += step
  return list.rowAt(row) ? row : undefined
}
