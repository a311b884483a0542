import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import { type Grouping, useGrouping } from './groups/grouping.ts'
import { useGroups } from './groups/use-groups.ts'
import type { ListQuery } from './list-query.ts'
import { OUTLINES, type RecordWindow, useRecordWindow } from './record-window.ts'
import { useVirtualRows, type VirtualRows } from './virtual-rows.ts'

type Asked = { resource: ResourceName; query: ListQuery; rowHeight: number; head: number }

export type ListWindow = RecordWindow & {
  virtual: VirtualRows
  grouping: Grouping | undefined
  toggleGroup(key: string | null): void
}

/** A list of any length: only visible rows are drawn, and only drawn rows are fetched. */
export function useListWindow({ resource, query, rowHeight, head }: Asked): ListWindow {
  // The responses contain the length of the list, and the visible rows decide what to fetch next.
  const [count, setCount] = useState<number>()
  const virtual = useVirtualRows(count ?? OUTLINES, rowHeight, head)
  const visible = { first: virtual.rows[0]?.index ?? 0, last: virtual.rows.at(-1)?.index ?? OUTLINES }
  const grouping = useGrouping(resource)
  const groups = useGroups(resource, { query, grouping })
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
