import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useMemo, useRef, useState } from 'react'
import { useRecordUpdate } from '../../api/record-changes.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { fieldViews } from '../../fields/field-views.ts'
import { customChange } from '../../properties/property-change.ts'
import { isEditable } from '../../properties/property-view.ts'
import type { Column } from './columns.ts'
import type { Failure, GridActions } from './grid-state.ts'
import type { RecordWindow } from './record-window.ts'
import type { Selection } from './selection.ts'

export type Place = { row: number; column: number }

type Grid = {
  active: Place
  editing: boolean
  failure: Failure | undefined
  /** Whether the current cell wants the focus of the page: after a key or a click, not after a refresh. */
  wantsFocus: { current: boolean }
  move(place: Place): void
  actions: GridActions
}

/** The active cell of the table, what is edited in it, and what failed. */
export function useGrid(
  resource: ResourceName,
  columns: readonly Column[],
  { window, selection }: { window: RecordWindow; selection: Selection },
): Grid {
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const [editing, setEditing] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const wantsFocus = useRef(false)
  const lastTicked = useRef(0)
  const { mutateAsync } = useRecordUpdate(resource)
  const { role } = useWorkspace()
  const move = (place: Place) => {
    wantsFocus.current = true
    setEditing(false)
    setActive(place)
  }
  const mayEdit = roleMay(role, 'update')
  const now: GridActions = {
    mayEdit,
    enter(row, column, edit) {
      move({ row, column })
      setFailure(undefined)
      const property = columns[column]?.property
      const found = window.rowAt(row)
      if (!edit || !property || !found || !isEditable(property) || !mayEdit) return
      if (property.kind === 'custom') {
        const { field } = property
        const { next } = fieldViews[field.type]
        const value = found.record.attributes.custom_fields[field.code] ?? null
        if (next) return now.save(found.record, property, customChange(field, next(value)))
      }
      setEditing(true)
    },
    save(record, { key }, change) {
      now.cancel()
      mutateAsync({ id: record.id, ...change }).catch((error: Error) =>
        setFailure({ id: record.id, key, message: error.message }),
      )
    },
    cancel() {
      wantsFocus.current = true
      setEditing(false)
    },
    select(row, record, { on, range }) {
      if (range) selection.add(idsBetween(window, lastTicked.current, row))
      else selection.toggle(record.id, on)
      lastTicked.current = row
    },
  }
  const latest = useRef(now)
  latest.current = now
  const actions = useMemo<GridActions>(
    () => ({
      mayEdit,
      enter: (...given) => latest.current.enter(...given),
      save: (...given) => latest.current.save(...given),
      cancel: () => latest.current.cancel(),
      select: (...given) => latest.current.select(...given),
    }),
    [mayEdit],
  )
  return { active, editing, failure, wantsFocus, move, actions }
}

function idsBetween(window: RecordWindow, one: number, other: number): string[] {
  const ids: string[] = []
  for (let row = Math.min(one, other); row <= Math.max(one, other); row++) {
    const found = window.rowAt(row)
    if (found) ids.push(found.record.id)
  }
  return ids
}
