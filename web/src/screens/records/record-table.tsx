import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { chunk } from '../../components/chunk.tsx'
import { Checkbox } from '../../components/controls.tsx'
import { draftAt } from '../../drafts/drafts.ts'
import { placeOf, putChange, withDraft } from '../../drafts/property-draft.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { isEditable, nextChange } from '../../properties/property-view.ts'
import { useAppearance } from '../../resources.ts'
import type { Column } from './columns.ts'
import { DraftRow } from './draft-row.tsx'
import { FOOT_HEIGHT, FooterRow } from './footers/footer-row.tsx'
import { type GridActions, GridContext } from './grid-state.ts'
import { MovesProvider, useMoves } from './groups/use-moves.ts'
import { HeaderCell } from './header-cell.tsx'
import { ListEnd } from './list-end.tsx'
import type { ListQuery } from './list-query.ts'
import { useListWindow } from './list-window.ts'
import { PAGE_SIZE, type RecordWindow } from './record-window.ts'
import { CHECK_WIDTH, ROW_HEIGHT, Row } from './row.tsx'
import type { Selection } from './selection.ts'
import { clickedRow, usePeek } from './use-peek.ts'

const PeekPanel = chunk(async () => (await import('../peek/peek-panel.tsx')).PeekPanel)

/** Most lists have no groups. */
const GroupRow = chunk(async () => (await import('./groups/group-row.tsx')).GroupRow)

const HEAD_HEIGHT = 32

/** The list as a table: any number of rows, edited in the cell, with the arrow keys to move. */
export function RecordTable(props: {
  resource: ResourceName
  query: ListQuery
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
  selection: Selection
  drafting: boolean
  onDrafted(): void
}) {
  const { resource, query, columns, onColumns, selection, drafting, onDrafted } = props
  const head = drafting ? HEAD_HEIGHT + ROW_HEIGHT : HEAD_HEIGHT
  const list = useListWindow({ resource, query, rowHeight: ROW_HEIGHT, head })
  const { virtual, total, rowAt } = list
  const grid = useGrid(columns, { window: list, selection })
  const { active } = grid
  const moves = useMoves(list, list.grouping)
  const move = (place: CellPosition) => {
    grid.move(place)
    virtual.scrollTo(place.row)
  }
  const moveTo = (row: number) => move({ row, column: active.column })
  const peek = usePeek({ resource, query, list, active: active.row, move: moveTo })
  const slug = useSlug()
  const { name } = useAppearance(resource)
  const navigate = useNavigate()
  const width = CHECK_WIDTH + columns.reduce((sum, column) => sum + column.width, 0)

  useEffect(() => {
    // The effect of an earlier drawing can come after a key: it must not take the focus back to the cell before.
    if (!grid.wantsFocus.current || grid.editing || active !== grid.now.current) return
    const { current: table } = virtual.scroller
    const cell = table?.querySelector(`[data-row="${active.row}"][data-column="${active.column}"]`)
    if (!(cell instanceof HTMLElement)) {
      // The cell that had the focus is gone before the next one is drawn. The table takes the keys meanwhile.
      if (document.activeElement === document.body) table?.focus({ preventScroll: true })
      return
    }
    cell.focus({ preventScroll: true })
    grid.wantsFocus.current = false
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const { target, currentTarget } = event
    if ((!placeIn(target) && target !== currentTarget) || total === undefined) return
    // Not the cell that has the focus: it follows the current one when that is drawn.
    const at = grid.now.current
    const found = rowAt(at.row)
    const group = list.groupAt(at.row)
    if (moves.mayMove && event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      return moves.moveBy(at.row, event.key === 'ArrowUp' ? -1 : 1)
    }
    const pageRows = Math.floor((virtual.scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2
    const place = placeAfter(event, at, { rows: total, columns: columns.length, pageRows })
    if (place) move(place)
    else if (group && (event.key === 'Enter' || event.key === ' ')) list.toggleGroup(group.key)
    else if (event.key === 'Enter' && found && (event.metaKey || event.ctrlKey)) {
      peek.noteRow(at.row)
      navigate({ to: '/$workspace/$resource/$id', params: { workspace: slug, resource, id: found.record.id } })
    } else if (event.key === 'Enter') grid.actions.enter(at.row, at.column, true)
    else if (event.key === ' ' && found) peek.toggle(at.row)
    else if (event.key.toLowerCase() === 'x' && found && !event.metaKey && !event.ctrlKey) {
      const on = !selection.has(found.record.id)
      grid.actions.select(at.row, found.record, { on, range: event.shiftKey })
    } else return
    event.preventDefault()
  }

  // Without a focus on the page, the arrows lead into the table.
  const enter = total ? () => move({ ...grid.now.current }) : undefined
  useShortcut('ArrowDown', 'Move in the table', enter)
  useShortcut('ArrowUp', 'Move in the table', enter)

  // Nothing to draw where there is nothing, or where the first answer was a failure.
  const drawn = total !== 0 && !(list.error && total === undefined)
  const loaded = virtual.rows.flatMap(({ index }) => rowAt(index)?.record.id ?? [])
  const ticked = loaded.filter((id) => selection.has(id)).length
  return (
    <GridContext value={grid.actions}>
      <MovesProvider value={moves}>
        <div className="relative flex min-h-0 flex-1">
          <div
            ref={virtual.scroller}
            role="grid"
            tabIndex={-1}
            aria-label={name}
            aria-rowcount={(total ?? 0) + 2}
            aria-colcount={columns.length + 1}
            aria-multiselectable
            aria-busy={total === undefined}
            onKeyDown={onKeyDown}
            onFocus={({ target }) => {
              const cell = placeIn(target)
              if (cell) grid.focused(cell)
            }}
            onClickCapture={(event) => {
              const row = clickedRow(event)
              if (row !== undefined) peek.noteRow(row)
            }}
            className="relative min-h-0 min-w-0 flex-1 overflow-auto overscroll-contain outline-none"
            style={{
              scrollPaddingInlineStart: CHECK_WIDTH + (columns[0]?.width ?? 0),
              scrollPaddingBlock: `${head}px ${FOOT_HEIGHT}px`,
            }}
          >
            <div role="rowgroup" style={{ minWidth: width }} className="sticky top-0 z-20 w-full bg-paper">
              <div role="row" aria-rowindex={1} className="flex" style={{ height: HEAD_HEIGHT }}>
                <div
                  role="columnheader"
                  tabIndex={-1}
                  aria-label="Selection"
                  style={{ width: CHECK_WIDTH }}
                  className="sticky left-0 z-10 grid shrink-0 place-items-center border-b border-line bg-paper"
                >
                  <Checkbox
                    aria-label="Select the visible rows"
                    checked={ticked === 0 ? false : ticked === loaded.length ? true : 'indeterminate'}
                    onCheckedChange={(on) => (on === true ? selection.add(loaded) : selection.clear())}
                  />
                </div>
                {columns.map((column, place) => (
                  <div
                    key={column.property.key}
                    role="presentation"
                    style={{ width: column.width, ...(place === 0 ? { left: CHECK_WIDTH } : {}) }}
                    className={place === 0 ? 'sticky z-10 shrink-0 bg-paper' : 'shrink-0'}
                  >
                    <HeaderCell column={column} place={place} columns={columns} onColumns={onColumns} />
                  </div>
                ))}
                <div role="presentation" className="flex-1 border-b border-line" />
              </div>
              {drafting && <DraftRow resource={resource} columns={columns} onDone={onDrafted} />}
            </div>
            <div
              role="rowgroup"
              className="relative w-full"
              style={{ minWidth: width, height: drawn ? virtual.height : 0 }}
            >
              {drawn &&
                virtual.rows.map(({ index, top }) => {
                  const group = list.groupAt(index)
                  const activeColumn = active.row === index ? active.column : undefined
                  if (group && list.grouping) {
                    return (
                      <Suspense key={index - grid.moved}>
                        <GroupRow
                          resource={resource}
                          query={query}
                          grouping={list.grouping}
                          group={group}
                          columns={columns}
                          row={index}
                          top={top}
                          activeColumn={activeColumn}
                          onToggle={list.toggleGroup}
                        />
                      </Suspense>
                    )
                  }
                  const found = rowAt(index)
                  return (
                    <Row
                      key={index - grid.moved}
                      row={index}
                      top={top}
                      found={found}
                      columns={columns}
                      selected={found !== undefined && selection.has(found.record.id)}
                      activeColumn={activeColumn}
                      editing={grid.editing && active.row === index}
                    />
                  )
                })}
            </div>
            {drawn && (
              <div role="rowgroup" style={{ minWidth: width }} className="sticky bottom-0 z-10 w-full">
                <FooterRow resource={resource} query={query} columns={columns} row={(total ?? 0) + 2} />
              </div>
            )}
            {(!drawn || list.error) && (
              // A grid has rows alone.
              <div role="row" className="contents">
                <div role="gridcell" className="contents">
                  <ListEnd resource={resource} list={list} />
                </div>
              </div>
            )}
          </div>
          {peek.id !== undefined && (
            <Suspense>
              <PeekPanel
                resource={resource}
                id={peek.id}
                onPrevious={peek.previous}
                onNext={peek.next}
                onOpen={() => peek.noteRow()}
                onClose={peek.close}
              />
            </Suspense>
          )}
        </div>
      </MovesProvider>
    </GridContext>
  )
}

/** The cell that an element is. */
function placeIn(element: EventTarget): CellPosition | undefined {
  const { row, column } = element instanceof HTMLElement ? element.dataset : {}
  return row === undefined || column === undefined ? undefined : { row: Number(row), column: Number(column) }
}

/** Where a key leads in the table; undefined for keys that move nothing. */
function placeAfter(
  event: KeyboardEvent,
  { row, column }: CellPosition,
  size: { rows: number; columns: number; pageRows: number },
): CellPosition | undefined {
  const mod = event.metaKey || event.ctrlKey
  const to = (nextRow: number, nextColumn: number): CellPosition => ({
    row: Math.min(size.rows - 1, Math.max(0, nextRow)),
    column: Math.min(size.columns - 1, Math.max(0, nextColumn)),
  })
  switch (event.key) {
    case 'ArrowUp':
      return to(mod ? 0 : row - 1, column)
    case 'ArrowDown':
      return to(mod ? size.rows - 1 : row + 1, column)
    case 'ArrowLeft':
      return to(row, column - 1)
    case 'ArrowRight':
      return to(row, column + 1)
    case 'Home':
      return to(mod ? 0 : row, 0)
    case 'End':
      return to(mod ? size.rows - 1 : row, size.columns - 1)
    case 'PageUp':
      return to(row - size.pageRows, column)
    case 'PageDown':
      return to(row + size.pageRows, column)
    default:
      return undefined
  }
}

type CellPosition = { row: number; column: number }

/** The active cell of the table, and whether it is edited. */
function useGrid(
  columns: readonly Column[],
  { window, selection }: { window: RecordWindow; selection: Selection },
): {
  active: CellPosition
  /** The same at this moment. Keys may come faster than the table is drawn. */
  now: { readonly current: CellPosition }
  editing: boolean
  /** By how many rows the records have moved under open editors. Rows keep their elements, and so the editor, by it. */
  moved: number
  /** Whether the current cell wants the focus of the page: after a key or a click, not after a refresh. */
  wantsFocus: { current: boolean }
  move(place: CellPosition): void
  /** The focus has come to a cell. A reader of the screen can move it, too. */
  focused(cell: CellPosition): void
  actions: GridActions
} {
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 })
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
  const move = (to: CellPosition) => {
    wantsFocus.current = true
    place.current = to
    setEdited(undefined)
    setActive(to)
  }
  const focused = (cell: CellPosition) => {
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
