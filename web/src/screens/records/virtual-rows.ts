import { elementScroll, observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useRef } from 'react'

/** Browsers draw nothing beyond some 17 to 33 million pixels; longer lists scroll in larger steps. */
const TALLEST = 12_000_000

export type VirtualRows = {
  scroller: RefObject<HTMLDivElement | null>
  /** The rows to draw, and where. */
  rows: { index: number; top: number }[]
  height: number
  scrollTo(index: number): void
}

/** Draws only the visible rows, out of any number of equal height. `head` is what stays above them. */
export function useVirtualRows(count: number, rowHeight: number, head: number): VirtualRows {
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
