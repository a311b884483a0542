import type { ResourceName } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, Suspense, useEffect } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { Checkbox } from '../../components/checkbox.tsx'
import { chunk } from '../../components/chunk.tsx'
import { appearances } from '../../resources.ts'
import type { Column } from './columns.ts'
import { DraftRow } from './draft-row.tsx'
import { FOOT_HEIGHT, FooterRow } from './footers/footer-row.tsx'
import { type Place, useGrid } from './grid.ts'
import { placeAfter } from './grid-keys.ts'
import { GridContext } from './grid-state.ts'
import { GroupRow } from './groups/group-row.tsx'
import { HeaderCell } from './header-cell.tsx'
import { ListEnd } from './list-end.tsx'
import type { ListQuery } from './list-query.ts'
import { useListWindow } from './list-window.ts'
import { CHECK_WIDTH, ROW_HEIGHT, Row } from './row.tsx'
import type { Selection } from './selection.ts'
import { clickedRow, usePeek } from './use-peek.ts'

const PeekPanel = chunk(async () => (await import('../peek/peek-panel.tsx')).PeekPanel)

const HEAD_HEIGHT = 32

type Props = {
  resource: ResourceName
  query: ListQuery
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
  selection: Selection
  drafting: boolean
  onDrafted(): void
}

/** The list as a table: any number of rows, edited in the cell, walked with the arrow keys. */
export function RecordTable({ resource, query, columns, onColumns, selection, drafting, onDrafted }: Props) {
  const head = drafting ? HEAD_HEIGHT + ROW_HEIGHT : HEAD_HEIGHT
  const list = useListWindow({ resource, query, rowHeight: ROW_HEIGHT, head })
  const { virtual, total, rowAt } = list
  const grid = useGrid(columns, { window: list, selection })
  const { active } = grid
  const move = (place: Place) => {
    grid.move(place)
    virtual.scrollTo(place.row)
  }
  const moveTo = (row: number) => move({ row, column: active.column })
  const peek = usePeek({ resource, query, list, active: active.row, move: moveTo })
  const slug = useSlug()
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

  // Nothing to draw where there is nothing, or where the first answer was a failure.
  const drawn = total !== 0 && !(list.error && total === undefined)
  const loaded = virtual.rows.flatMap(({ index }) => rowAt(index)?.record.id ?? [])
  const ticked = loaded.filter((id) => selection.has(id)).length
  return (
    <GridContext value={grid.actions}>
      <div className="relative flex min-h-0 flex-1">
        <div
          ref={virtual.scroller}
          role="grid"
          tabIndex={-1}
          aria-label={appearances[resource].many}
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
                    <GroupRow
                      key={index - grid.moved}
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
          <ListEnd resource={resource} list={list} />
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
    </GridContext>
  )
}

/** The cell that an element is. */
function placeIn(element: EventTarget): Place | undefined {
  const { row, column } = element instanceof HTMLElement ? element.dataset : {}
  return row === undefined || column === undefined ? undefined : { row: Number(row), column: Number(column) }
}
