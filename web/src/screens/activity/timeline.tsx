import { type ActivityKind, activityKinds } from '@kith/contract/app/activity'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, Suspense, useId, useState } from 'react'
import { type ActivityItem, type ActivityPage, activityQuery } from '../../api/history.ts'
import { useMembers } from '../../api/members.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useResource, useSchema } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Input, Textarea } from '../../components/controls.tsx'
import { Select } from '../../components/select.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { type ActivityDraft, isEmpty, useActivityDraft } from '../../drafts/activity-draft.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import { formatDayExactly, formatDayNear, toLocalDay } from '../../format/moments.ts'
import { type BackReference, backReferencesOf } from '../../properties/back-references.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { RecordLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, includedIn, relatedTo } from '../../properties/related.ts'
import { RelatedNames } from '../../properties/related-name.tsx'
import { useTaskState } from '../../properties/task-state.ts'
import { appearanceIn, useAppearance, withArticle } from '../../resources.ts'
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

const NOBODY = 'nobody'

/** Adds a note or a task to a record, in its place. */
function Composer({ record, kin }: { record: ApiRecord; kin: readonly BackReference[] }) {
  const { draft, isWaiting, problem, change: onChange, create, discard } = useActivityDraft(record, kin)
  const schema = useSchema()
  const { one } = useAppearance(draft.kind)
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!isEmpty(draft)) create()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  return (
    <form
      aria-label={`New ${one}`}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="mb-3 rounded-lg border border-edge focus-within:border-accent"
    >
      <div className="flex items-center gap-1 border-b border-line px-1.5 py-1">
        {kin.toReversed().map(({ resource }) => {
          const { icon: Icon, singular } = appearanceIn(schema, resource)
          return (
            <Button
              key={resource}
              size="small"
              look="quiet"
              active={draft.kind === resource}
              aria-pressed={draft.kind === resource}
              onClick={() => onChange({ kind: resource === 'tasks' ? 'tasks' : 'notes' })}
            >
              <Icon aria-hidden />
              {singular}
            </Button>
          )
        })}
      </div>
      <Input
        dir="auto"
        aria-label={`Title of the ${one}`}
        placeholder={draft.kind === 'tasks' ? 'What is to be done?' : 'Title'}
        value={draft.title}
        onChange={(event) => onChange({ title: event.target.value })}
        className={`${bare} font-medium`}
      />
      {draft.kind === 'notes' ? (
        <Textarea
          dir="auto"
          rows={draft.body === '' ? 1 : 4}
          aria-label={`Text of the ${one}`}
          placeholder={`Write ${withArticle(one)}. Markdown works.`}
          value={draft.body}
          onChange={(event) => onChange({ body: event.target.value })}
          className={`${bare} min-h-8! resize-y`}
        />
      ) : (
        <TaskFields draft={draft} onChange={onChange} />
      )}
      {!isEmpty(draft) && (
        <div className="flex items-center gap-2 px-2 pb-2">
          <Button type="submit" look="primary" size="small" disabled={isWaiting}>
            Add {one}
          </Button>
          <Button size="small" look="quiet" onClick={discard}>
            Discard
          </Button>
        </div>
      )}
      {problem !== undefined && (
        <p role="alert" className="px-2.5 pb-2 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}

const bare = 'border-transparent hover:border-transparent focus:border-transparent focus:outline-none bg-transparent'

function TaskFields({ draft, onChange }: { draft: ActivityDraft; onChange(changes: Partial<ActivityDraft>): void }) {
  const members = useMembers()
  const id = useId()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-2.5 pb-2 text-sm">
      <label htmlFor={`${id}-due`} className="flex items-center gap-2 text-xs text-quiet">
        Due
        <Input
          id={`${id}-due`}
          type="datetime-local"
          value={draft.due}
          onChange={(event) => onChange({ due: event.target.value })}
          className="h-7 w-50"
        />
      </label>
      <div className="flex items-center gap-2 text-xs text-quiet">
        <span aria-hidden>For</span>
        <Select
          label="Assignee"
          value={draft.assignee === '' ? NOBODY : draft.assignee}
          onValueChange={(assignee) => onChange({ assignee: assignee === NOBODY ? '' : assignee })}
          choices={[
            { value: NOBODY, label: 'Nobody' },
            ...members.map((member) => ({ value: member.id, label: member.name })),
          ]}
          className="h-7 w-44"
        />
      </div>
    </div>
  )
}

const MarkdownText = chunk(async () => (await import('../../markdown/markdown-text.tsx')).MarkdownText)

type TimelineEntry = { item: ActivityItem; included: IncludedRecords }

/** `of` is the record whose timeline it is. */
function TimelineItem({ item, included, of }: TimelineEntry & { of: string }) {
  if (!('record' in item)) return <EntryItem item={item} of={of} />
  if (item.kind === 'tasks') return <TaskItem task={item.record} included={included} at={item.at} />
  return <NoteItem note={item.record} included={included} at={item.at} />
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
