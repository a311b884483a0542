import { roleMay } from '@kith/contract/permissions'
import { useMemo, useRef, useState } from 'react'
import { draftAt } from '../../api/drafts.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { placeOf, putChange, withDraft } from '../../properties/property-draft.ts'
import { isEditable, nextChange } from '../../properties/property-view.ts'
import type { Column } from './columns.ts'
import type { GridActions } from './grid-state.ts'
import { PAGE_SIZE, type RecordWindow } from './record-window.ts'
import type { Selection } from './selection.ts'

export type Place = { row: number; column: number }

type Grid = {
  active: Place
  /** The same at this moment. Keys may come faster than the table is drawn. */
  now: { readonly current: Place }
  editing: boolean
  /** By how many rows the records have moved under open editors. Rows keep their elements, and so the editor, by it. */
  moved: number
  /** Whether the current cell wants the focus of the page: after a key or a click, not after a refresh. */
  wantsFocus: { current: boolean }
  move(place: Place): void
  /** The focus has come to a cell. A reader of the screen can move it, too. */
  focused(cell: Place): void
  actions: GridActions
}

/** The active cell of the table, and whether it is edited. */
export function useGrid(
  columns: readonly Column[],
  { window, selection }: { window: RecordWindow; selection: Selection },
): Grid {
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const place = useRef(active)
  const [edited, setEdited] = useState<{ id: string; key: string }>()
  const [moved, setMoved] = useState(0)
  const wantsFocus = useRef(false)
  /** A range begins here: at the first row, or at the record that was ticked last. */
  const lastTicked = useRef<{ row: number; id?: string }>({ row: 0 })
  const slug = useSlug()
  const { role } = useWorkspace()
  const idAt = (row: number) => window.rowAt(row)?.record.id
  const rowOf = (id: string, near: number) => [near, ...rowsNear(near)].find((row) => idAt(row) === id)
  const here = { id: idAt(active.row), key: columns[active.column]?.property.key }
  // Someone else may add or delete records and fields, and a saved value may change the order. An editor stays with
  // its value.
  if (edited && here.id !== undefined && (here.id !== edited.id || here.key !== edited.key)) {
    const row = rowOf(edited.id, active.row)
    const column = columns.findIndex(({ property }) => property.key === edited.key)
    if (row === undefined || column === -1) {
      wantsFocus.current = true
      setEdited(undefined)
    } else {
      const to = { row, column }
      if (place.current === active) place.current = to
      setActive(to)
      setMoved(moved + row - active.row)
    }
  }
  const move = (to: Place) => {
    wantsFocus.current = true
    place.current = to
    setEdited(undefined)
    setActive(to)
  }
  const focused = (cell: Place) => {
    if (!wantsFocus.current) place.current = cell
  }
  const mayEdit = roleMay(role, 'update')
  const now: GridActions = {
    mayEdit,
    enter(row, column, edit) {
      move({ row, column })
      const property = columns[column]?.property
      const found = window.rowAt(row)
      if (!edit || !property || !found || !isEditable(property) || !mayEdit) return
      const { record } = found
      const next = nextChange(property, withDraft(record, draftAt(placeOf(slug, property, record))))
      if (next) putChange({ slug, property, record }, next, 'waiting')
      else setEdited({ id: record.id, key: property.key })
    },
    close() {
      wantsFocus.current = true
      place.current = active
      setEdited(undefined)
    },
    select(row, record, { on, range }) {
      const last = lastTicked.current
      // Rows may have come or gone since. If the record is gone, there is no range.
      const first = last.id === undefined ? last.row : (rowOf(last.id, last.row) ?? row)
      if (range) selection.add(idsBetween(window, first, row))
      else selection.toggle(record.id, on)
      lastTicked.current = { row, id: record.id }
    },
  }
  const latest = useRef(now)
  latest.current = now
  const actions = useMemo<GridActions>(
    () => ({
      mayEdit,
      enter: (...given) => latest.current.enter(...given),
      close: () => latest.current.close(),
      select: (...given) => latest.current.select(...given),
    }),
    [mayEdit],
  )
  return { active, now: place, editing: edited !== undefined, moved, wantsFocus, move, focused, actions }
}

function rowsNear(row: number): number[] {
  const first = Math.max(0, row - PAGE_SIZE)
  return Array.from({ length: 2 * PAGE_SIZE }, (_, place) => first + place)
}

function idsBetween(window: RecordWindow, one: number, other: number): string[] {
  const ids: string[] = []
  for (let row = Math.min(one, other); row <= Math.max(one, other); row++) {
    const found = window.rowAt(row)
    if (found) ids.push(found.record.id)
  }
  return ids
}
