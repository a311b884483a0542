import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import type { ListQuery } from './list-query.ts'
import { type RecordWindow, useRecordWindow } from './record-window.ts'
import { useVirtualRows, type VirtualRows } from './virtual-rows.ts'

/** Before the first answer so many rows are drawn as outlines. */
const OUTLINES = 24

type Asked = { resource: ResourceName; query: ListQuery; rowHeight: number; head: number }

type ListWindow = RecordWindow & { virtual: VirtualRows }

/** A list of any length: what is in sight is drawn, and what is drawn is asked for. */
export function useListWindow({ resource, query, rowHeight, head }: Asked): ListWindow {
  // How long the list is, is known from the answers; to ask for the next ones, one must know what is in sight.
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
