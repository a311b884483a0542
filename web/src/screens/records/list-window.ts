import type { ResourceName } from '@kith/contract/resource'
import { elementScroll, observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { type Grouping, useGrouping } from './groups/grouping.ts'
import { useGroups } from './groups/use-groups.ts'
import type { ListQuery } from './list-query.ts'
import { useListState } from './list-state.ts'
import { OUTLINES, type RecordWindow, useRecordWindow } from './record-window.ts'

export type ListWindow = RecordWindow & {
  virtual: VirtualRows
  grouping: Grouping | undefined
  toggleGroup(key: string | null): void
}

/** A list of any length: only visible rows are drawn, and only drawn rows are fetched. */
export function useListWindow(options: {
  resource: ResourceName
  query: ListQuery
  rowHeight: number
  head: number
}): ListWindow {
  const { resource, query, rowHeight, head } = options
  // The responses contain the length of the list, and the visible rows decide what to fetch next.
  const [count, setCount] = useState<number>()
  const virtual = useVirtualRows(count ?? OUTLINES, rowHeight, head)
  const visible = { first: virtual.rows[0]?.index ?? 0, last: virtual.rows.at(-1)?.index ?? OUTLINES }
  const grouping = useGrouping(resource)
  const [{ folded }] = useListState()
  const groups = useGroups(resource, { query, grouping, folded })
  const window = useRecordWindow(resource, groups.segments, visible)
  const { total } = window
  // Before anything is drawn: no row of the new length may be missing even once, its editor would be lost.
  if (count !== total) setCount(total)
  const asked = JSON.stringify([query.sort, query.filter, grouping?.by])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, sort or grouping begins at the top
  useEffect(() => {
    virtual.scroller.current?.scrollTo({ top: 0 })
  }, [asked])
  const retry = () => {
    if (groups.error) groups.retry()
    window.retry()
  }
  return { ...window, error: window.error ?? groups.error, retry, virtual, grouping, toggleGroup: groups.toggle }
}

/** Browsers draw nothing beyond some 17 to 33 million pixels; longer lists scroll in larger steps. */
const TALLEST = 12_000_000

type VirtualRows = {
  scroller: RefObject<HTMLDivElement | null>
  /** The rows to draw, and where. */
  rows: { index: number; top: number }[]
  height: number
  scrollTo(index: number): void
}

/** Draws only the visible rows, out of any number of equal height. `head` is what stays above them. */
function useVirtualRows(count: number, rowHeight: number, head: number): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null)
  const full = count * rowHeight
  const scale = Math.max(1, full / TALLEST)
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingEnd: head,
    observeElementOffset: (instance, report) =>
      observeElementOffset(instance, (offset, scrolling) => report(offset * scale, scrolling)),
    scrollToFn: (offset, options, instance) => elementScroll(offset / scale, options, instance),
  })
  const passed = virtualizer.scrollOffset ?? 0
  return {
    scroller,
    rows: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - passed + passed / scale })),
    height: full / scale,
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  }
}
