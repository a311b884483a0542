import type { Activity } from '@kith/contract/app/activity'
import { FileInput, Merge, Pencil, Plus, StickyNote, Trash2 } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { ActivityItem } from '../../api/activity.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { chunk } from '../../components/chunk.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { textIn } from '../../fields/values.ts'
import { formatMomentExactly, formatTime } from '../../format/moments.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { RecordLink } from '../../properties/record-link.tsx'
import { type Included, relatedTo } from '../../properties/related.ts'
import { RelatedNames } from '../../properties/related-name.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { useTaskState } from '../../properties/task-state.ts'
import { UserAvatar } from '../../user-avatar.tsx'
import { historyWords, sourceWords } from '../audit/audit-words.ts'
import { Changes } from '../audit/changes.tsx'

const MarkdownText = chunk(async () => (await import('../../markdown/markdown-text.tsx')).MarkdownText)

export type Shown = { item: ActivityItem; included: Included }

/** `of` is the record whose timeline it is. */
export function TimelineItem({ item, included, of }: Shown & { of: string }) {
  if (!('record' in item)) return <EntryItem item={item} of={of} />
  if (item.kind === 'tasks') return <TaskItem task={item.record} included={included} at={item.at} />
  return <NoteItem note={item.record} included={included} at={item.at} />
}

type LineProps = { icon: ReactNode; children: ReactNode }

function Line({ icon, children }: LineProps) {
  return (
    <li className="flex gap-2.5 text-sm">
      <span className="mt-0.5 grid size-4 shrink-0 place-items-center text-faint [&>svg]:size-4">{icon}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  )
}

function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatMomentExactly(at)} className="whitespace-nowrap text-faint">
      {formatTime(at)}
    </time>
  )
}

function EntryItem({ item, of }: { item: Extract<Activity<ApiRecord>, { entry: unknown }>; of: string }) {
  const { entry } = item
  return (
    <Line icon={iconOf(entry.action, item.kind)}>
      <p>
        <Who id={entry.actor?.id} name={entry.actor?.name ?? 'The command line'} />{' '}
        <span className="text-quiet">{historyWords(entry)}</span>
        {entry.record_id !== of && <span className="text-quiet"> ({entry.record_name ?? 'a merged record'})</span>}
        <span className="text-faint"> · {sourceWords(entry)} · </span>
        <When at={item.at} />
      </p>
      <Changes changes={entry.changes} />
    </Line>
  )
}

function iconOf(action: string, kind: ActivityItem['kind']): ReactNode {
  if (kind === 'merges') return <Merge aria-hidden />
  if (kind === 'imports') return <FileInput aria-hidden />
  if (action === 'create') return <Plus aria-hidden />
  return action === 'delete' ? <Trash2 aria-hidden /> : <Pencil aria-hidden />
}

type LinkedProps = { included: Included; at: string }

function TaskItem({ task, included, at }: LinkedProps & { task: ApiRecord }) {
  const { done } = useTaskState(task)
  const assignees = relatedTo(task, 'assignees', included)
  return (
    <Line icon={<TaskCheck task={task} />}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <RecordLink
          resource="tasks"
          id={task.id}
          tabIndex={0}
          className={`min-w-0 font-medium wrap-anywhere hover:underline ${done ? 'text-quiet line-through' : ''}`}
        >
          {nameOf(task)}
        </RecordLink>
        <Maker record={task} included={included} at={at} />
      </p>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3 text-quiet empty:hidden">
        <DueDate task={task} short />
        <RelatedNames related={assignees} />
      </div>
    </Line>
  )
}

/** Texts up to this length are shown whole. */
const WHOLE = 600

function NoteItem({ note, included, at }: LinkedProps & { note: ApiRecord }) {
  const body = textIn(note.attributes.custom_fields.body)
  const [open, setOpen] = useState(false)
  const isLong = body.length > WHOLE || body.split('\n').length > 12
  return (
    <Line icon={<StickyNote aria-hidden />}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <RecordLink
          resource="notes"
          id={note.id}
          tabIndex={0}
          className="min-w-0 font-medium wrap-anywhere hover:underline"
        >
          {nameOf(note)}
        </RecordLink>
        <Maker record={note} included={included} at={at} />
      </p>
      {body !== '' && (
        <div
          className={`mt-1 rounded-md border border-line px-3 py-1 ${isLong && !open ? 'max-h-48 overflow-hidden' : ''}`}
        >
          <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
            <MarkdownText text={open ? body : body.slice(0, 2 * WHOLE)} />
          </Suspense>
        </div>
      )}
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-1 text-xs text-accent hover:underline"
        >
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </Line>
  )
}

function Maker({ record, included, at }: LinkedProps & { record: ApiRecord }) {
  const [creator] = relatedTo(record, 'creator', included)
  return (
    <span className="text-faint">
      {creator?.name && (
        <>
          <Who id={creator.id} name={creator.name} /> ·{' '}
        </>
      )}
      <When at={at} />
    </span>
  )
}

function Who({ id, name }: { id: string | undefined; name: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-bottom text-ink">
      <UserAvatar id={id} name={name} size={16} />
      <span className="font-medium">{name}</span>
    </span>
  )
}
