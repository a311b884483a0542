import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import type { ListQuery } from './list-query.ts'
import { type RecordWindow, useRecordWindow } from './record-window.ts'
import { useVirtualRows, type VirtualRows } from './virtual-rows.ts'

/** Before the first answer so many rows are drawn as outlines. */
const OUTLINES = 24

type Asked = { resource: ResourceName; query: ListQuery; rowHeight: number; head: number }

export type ListWindow = RecordWindow & { virtual: VirtualRows }

/** A list of any length: what is in sight is drawn, and what is drawn is asked for. */
export function useListWindow({ resource, query, rowHeight, head }: Asked): ListWindow {
  const [visible, setVisible] = useState({ first: 0, last: OUTLINES })
  const window = useRecordWindow(resource, query, visible)
  const virtual = useVirtualRows(window.total ?? OUTLINES, rowHeight, head)
  const first = virtual.rows[0]?.index ?? 0
  const last = virtual.rows.at(-1)?.index ?? OUTLINES
  useEffect(() => setVisible({ first, last }), [first, last])
  const asked = JSON.stringify([query.sort, query.filter])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter or sort begins at the top
  useEffect(() => {
    virtual.scroller.current?.scrollTo({ top: 0 })
  }, [asked])
  return { ...window, virtual }
}
