import { type Activity, type ActivityKind, activityKinds } from '@kith/contract/app/activity'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { Suspense, useState } from 'react'
import { type ActivityItem, type ActivityPage, activityQuery } from '../../api/history.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useResource, useSchema } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import { formatDayExactly, formatDayNear, toLocalDay } from '../../format/moments.ts'
import { formatSize } from '../../format/sizes.ts'
import { backReferencesOf } from '../../properties/back-references.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { RecordLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, includedIn, relatedTo } from '../../properties/related.ts'
import { RelatedNames } from '../../properties/related-name.tsx'
import { useTaskState } from '../../properties/task-state.ts'
import { appearanceIn, useAppearance } from '../../resources.ts'
import { FileLink, fileIcon, Picture } from '../files/files.tsx'
import { Composer } from './composer.tsx'
import { EntryItem } from './entry-item.tsx'
import { Line, When, Who } from './timeline-parts.tsx'

/** What happened to a record, by day, the latest first. Notes and tasks are added on top of it. */
export function Timeline({ record }: { record: ApiRecord }) {
  const [kind, setKind] = useState<ActivityKind>()
  const { role } = useWorkspace()
  const linked = backReferencesOf(useResource(record.type)).filter(
    ({ resource }) => resource === 'notes' || resource === 'tasks',
  )
  const query = useInfiniteQuery(activityQuery(useSlug(), record, kind))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  return (
    <>
      {linked.length > 0 && roleMay(role, 'create') && <Composer record={record} kin={linked} />}
      <KindFilter kind={kind} onKind={setKind} linked={linked.length > 0} />
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <TimelineSkeleton />}
      {data && <Days pages={data.pages} of={record.id} />}
      {data?.pages[0]?.data.length === 0 && <p className="py-3 text-sm text-faint">Nothing of this kind yet.</p>}
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Earlier
        </Button>
      )}
    </>
  )
}

function Days({ pages, of }: { pages: readonly ActivityPage[]; of: string }) {
  return daysIn(pages).map(({ day, items }) => (
    <section key={day} aria-label={formatDayNear(day)} className="mt-4">
      <h2 title={formatDayExactly(day)} className="mb-2 text-xs font-medium text-quiet">
        {formatDayNear(day)}
      </h2>
      <ol className="grid gap-3">
        {items.map((shown) => (
          <TimelineItem key={shown.item.id} {...shown} of={of} />
        ))}
      </ol>
    </section>
  ))
}

/** The items by the reader's day. */
function daysIn(pages: readonly ActivityPage[]): { day: string; items: TimelineEntry[] }[] {
  const days: { day: string; items: TimelineEntry[] }[] = []
  for (const page of pages) {
    const included = includedIn(page)
    for (const item of page.data) {
      const day = toLocalDay(item.at)
      const last = days.at(-1)
      if (last?.day === day) last.items.push({ item, included })
      else days.push({ day, items: [{ item, included }] })
    }
  }
  return days
}

function TimelineSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading" className="mt-5 grid gap-4">
      {[...'123'].map((line) => (
        <div key={line} className="flex items-center gap-2">
          <Skeleton className="size-5 rounded-full" />
          <Skeleton className="w-1/2" />
        </div>
      ))}
    </div>
  )
}

/** Besides the names of resources. */
const words: Readonly<Partial<Record<ActivityKind, string>>> = {
  comments: 'Comments',
  files: 'Files',
  changes: 'Changes',
  merges: 'Merges',
  imports: 'Imports',
}

/** Which kind of activity is shown. */
function KindFilter(props: {
  kind: ActivityKind | undefined
  onKind(kind: ActivityKind | undefined): void
  /** Whether notes and tasks can be linked to the record. */
  linked: boolean
}) {
  const { kind, onKind, linked } = props
  const schema = useSchema()
  const kinds = activityKinds.filter((one) => linked || (one !== 'notes' && one !== 'tasks'))
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here
    <div role="group" aria-label="Show" className="-ml-2 flex flex-wrap gap-0.5">
      {[undefined, ...kinds].map((one) => (
        <Button
          key={one ?? 'all'}
          size="small"
          look="quiet"
          active={kind === one}
          aria-pressed={kind === one}
          onClick={() => onKind(one)}
        >
          {one === undefined ? 'All' : (words[one] ?? appearanceIn(schema, one).name)}
        </Button>
      ))}
    </div>
  )
}

const MarkdownText = chunk(async () => (await import('../../markdown/markdown-text.tsx')).MarkdownText)

type TimelineEntry = { item: ActivityItem; included: IncludedRecords }

/** `of` is the record whose timeline it is. */
function TimelineItem({ item, included, of }: TimelineEntry & { of: string }) {
  if ('file' in item) return <FileItem item={item} />
  if ('comment' in item) return <CommentItem item={item} />
  if (!('record' in item)) return <EntryItem item={item} of={of} />
  if (item.kind === 'tasks') return <TaskItem task={item.record} included={included} at={item.at} />
  return <NoteItem note={item.record} included={included} at={item.at} />
}

/** A file that was added, and the picture in it. */
function FileItem({ item: { file, creator, at } }: { item: Extract<Activity<ApiRecord>, { file: unknown }> }) {
  return (
    <Line icon={fileIcon(file)}>
      <p>
        <Who id={creator?.id} name={creator?.name ?? 'Someone'} /> <span className="text-quiet">added</span>{' '}
        <FileLink file={file} />
        <span className="text-faint"> · {formatSize(file.attributes.size)} · </span>
        <When at={at} />
      </p>
      <Picture file={file} className="mt-1 max-h-40 max-w-full rounded-md border border-line" />
    </Line>
  )
}

/** What someone said about the record. */
function CommentItem({ item: { comment, creator, at } }: { item: Extract<ActivityItem, { comment: unknown }> }) {
  const { body, mentions } = comment.attributes
  const text = mentions.reduce((shown, { id, name }) => shown.replaceAll(`@[${id}]`, `**@${name}**`), body)
  return (
    <Line icon={<MessageSquare aria-hidden />}>
      <p>
        <Who id={creator?.id} name={creator?.name ?? 'Someone'} /> <span className="text-quiet">commented</span>
        <span className="text-faint"> · </span>
        <When at={at} />
      </p>
      <div className="mt-1 rounded-md border border-line px-3 py-1">
        <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
          <MarkdownText text={text} />
        </Suspense>
      </div>
    </Line>
  )
}

type EntryProps = { included: IncludedRecords; at: string }

function TaskItem({ task, included, at }: EntryProps & { task: ApiRecord }) {
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

function NoteItem({ note, included, at }: EntryProps & { note: ApiRecord }) {
  const { icon: Icon } = useAppearance(note.type)
  const body = textIn(note.attributes.custom_fields.body)
  const [open, setOpen] = useState(false)
  const isLong = body.length > WHOLE || body.split('\n').length > 12
  return (
    <Line icon={<Icon aria-hidden />}>
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

function Maker({ record, included, at }: EntryProps & { record: ApiRecord }) {
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
