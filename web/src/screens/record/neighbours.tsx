import type { ResourceName } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useGroupings } from '../records/groups/grouping.ts'
import { useGroups } from '../records/groups/use-groups.ts'
import { noteOpenedList, type OpenedList, openedList } from '../records/opened-list.ts'
import { PAGE_SIZE, type RecordWindow, useRecordWindow } from '../records/record-window.ts'
import { recordRow } from '../records/use-peek.ts'

/** The previous and the next record, in the order of the list from which this one was opened. */
export function Neighbours({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const [opened] = useState(() => openedList(slug, record.type))
  return opened ? <InList record={record} opened={opened} /> : null
}

function InList({ record: { id, type }, opened }: { record: ApiRecord; opened: OpenedList }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const window = useOpenedWindow(type, opened)
  const row = rowOf(id, window, opened.row)
  const isHere = window.rowAt(row)?.record.id === id
  const previous = recordRow(window, row - 1, -1)
  // A record that has left the list has given its row to the next one.
  const next = recordRow(window, isHere ? row + 1 : row, 1)
  const open = (to: number | undefined) => {
    const found = to === undefined ? undefined : window.rowAt(to)
    if (to === undefined || !found) return
    noteOpenedList(slug, { ...opened, row: to })
    navigate({ to: '/$workspace/$resource/$id', params: { workspace: slug, resource: type, id: found.record.id } })
  }
  useShortcut('j', 'Next record of the list', next === undefined ? undefined : () => open(next))
  useShortcut('k', 'Previous record of the list', previous === undefined ? undefined : () => open(previous))
  return (
    <div className="flex items-center">
      <IconButton label="Previous record" keys="k" disabled={previous === undefined} onClick={() => open(previous)}>
        <ChevronUp />
      </IconButton>
      <IconButton label="Next record" keys="j" disabled={next === undefined} onClick={() => open(next)}>
        <ChevronDown />
      </IconButton>
    </div>
  )
}

function useOpenedWindow(resource: ResourceName, { query, by, row }: OpenedList): RecordWindow {
  const grouping = useGroupings(resource).find((one) => one.by === by)
  const groups = useGroups(resource, { query, grouping })
  return useRecordWindow(resource, groups.segments, { first: Math.max(0, row - 1), last: row + 1 })
}

/** Where the record is now. Others may have moved it since the list was shown. */
function rowOf(id: string, window: RecordWindow, kept: number): number {
  for (let away = 0; away < PAGE_SIZE; away++) {
    for (const row of [kept + away, kept - away]) if (window.rowAt(row)?.record.id === id) return row
  }
  return kept
}
