import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import type { ListQuery } from './list-query.ts'
import { type RecordWindow, useRecordWindow } from './record-window.ts'
import { useVirtualRows, type VirtualRows } from './virtual-rows.ts'

/** Before the first answer so many rows are drawn as outlines. */
const OUTLINES = 24

type Asked = { resource: ResourceName; query: ListQuery; rowHeight: number; head: number }

type ListWindow = RecordWindow & { virtual: VirtualRows }

/** A list of any length: only visible rows are drawn, and only drawn rows are fetched. */
export function useListWindow({ resource, query, rowHeight, head }: Asked): ListWindow {
  // The responses contain the length of the list, and the visible rows decide what to fetch next.
  const [count, setCount] = useState<number>()
  const virtual = useVirtualRows(count ?? OUTLINES, rowHeight, head)
  const visible = { first: virtual.rows[0]?.index ?? 0, last: virtual.rows.at(-1)?.index ?? OUTLINES }
  const window = useRecordWindow(resource, query, visible)
  const { total } = window
  useEffect(() => setCount(total), [total])
  const asked = JSON.stringify([query.sort, query.filter])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter or sort begins at the top
  useEffect(() => {
    virtual.scroller.current?.scrollTo({ top: 0 })
  }, [asked])
  return { ...window, virtual }
}
