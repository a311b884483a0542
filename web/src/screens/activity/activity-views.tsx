import type { ActivityKind } from '@kith/contract/app/activity'
import { RESTORE_DAYS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { deleteFile } from '../../api/files.ts'
import type { ActivityItem } from '../../api/history.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { deleteRecord, useRecordAct } from '../../drafts/record-acts.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import { formatSize } from '../../format/sizes.ts'
import { useAction } from '../../forms/save.ts'
import { FoldedText } from '../../markdown/folded-text.tsx'
import { DueDate } from '../../properties/due-date.tsx'
import { NamedLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, relatedTo } from '../../properties/related.ts'
import { RelatedNames } from '../../properties/related-name.tsx'
import { useTaskState } from '../../properties/task-state.ts'
import { useAppearance } from '../../resources.ts'
import { FileLink, fileIcon, Picture } from '../files/files.tsx'
import { CommentThread } from './comment-thread.tsx'
import { EntryItem } from './entry-item.tsx'
import { Line, UndoButton, When, Who } from './timeline-parts.tsx'

/** How a kind of activity is shown. `name` is what it is called, unless it is a resource. */
type ActivityView<Kind extends ActivityKind> = { name?: string; Item: ComponentType<ItemProps<Kind>> }

/** `of` is the record whose activity it is. */
type ItemProps<Kind extends ActivityKind> = { item: ActivityItem<Kind>; included: IncludedRecords; of: ApiRecord }

const views: { readonly [Kind in ActivityKind]: ActivityView<Kind> } = {
  notes: { Item: NoteItem },
  tasks: { Item: TaskItem },
  comments: { name: 'Comments', Item: CommentItem },
  files: { name: 'Files', Item: FileItem },
  changes: { name: 'Changes', Item: EntryItem },
  merges: { name: 'Merges', Item: EntryItem },
  imports: { name: 'Imports', Item: EntryItem },
}

/** The view of a kind shows the items of that kind. */
export function viewOf<Kind extends ActivityKind>(kind: Kind): ActivityView<Kind> {
  return views[kind]
}

/** A file that was added, and the picture in it. */
function FileItem({ item: { file, creator, at } }: ItemProps<'files'>) {
  const slug = useSlug()
  const queries = useQueryClient()
  const who = creator?.name ?? 'Someone'
  const { name, size } = file.attributes
  return (
    <Line icon={fileIcon(file)}>
      <p>
        <Who id={creator?.id} name={who} /> <span className="text-quiet">added</span> <FileLink file={file} />
        <span className="text-faint"> · {formatSize(size)} · </span>
        <When at={at} />
        <UndoAdded what={`${who} added ${name}`} at={at} remove={() => deleteFile(queries, slug, file)} />
      </p>
      <Link
        to="/$workspace/files/$id"
        params={{ workspace: slug, id: file.id }}
        aria-label={`Open ${name}`}
        className="mt-1 block w-fit empty:hidden"
      >
        <Picture file={file} className="max-h-40 max-w-full rounded-md border border-line" />
      </Link>
    </Line>
  )
}

function CommentItem({ item, of }: ItemProps<'comments'>) {
  return <CommentThread thread={item} record={of} />
}

function TaskItem({ item: { record: task, at }, included }: ItemProps<'tasks'>) {
  const { done } = useTaskState(task)
  const assignees = relatedTo(task, 'assignees', included)
  return (
    <Line icon={<TaskCheck task={task} />}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <NamedLink record={task} className={`font-medium wrap-anywhere ${done ? 'text-quiet line-through' : ''}`} />
        <Maker record={task} included={included} at={at} />
      </p>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3 text-quiet empty:hidden">
        <DueDate task={task} short />
        <RelatedNames related={assignees} />
      </div>
    </Line>
  )
}

function NoteItem({ item: { record: note, at }, included }: ItemProps<'notes'>) {
  const { icon: Icon } = useAppearance(note.type)
  const body = textIn(note.attributes.custom_fields.body)
  return (
    <Line icon={<Icon aria-hidden />}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <NamedLink record={note} className="font-medium wrap-anywhere" />
        <Maker record={note} included={included} at={at} />
      </p>
      {body !== '' && (
        <div className="mt-1 rounded-md border border-line px-3 py-1">
          <FoldedText text={body} />
        </div>
      )}
    </Line>
  )
}

/** Who made a note or task, when, and the way to take it back. */
function Maker({ record, included, at }: { record: ApiRecord; included: IncludedRecords; at: string }) {
  const slug = useSlug()
  const name = nameOf(record)
  const deletion = useRecordAct(record)
  const [creator] = relatedTo(record, 'creator', included)
  return (
    <span className="text-faint">
      {creator?.name && (
        <>
          <Who id={creator.id} name={creator.name} /> ·{' '}
        </>
      )}
      <When at={at} />
      <UndoAdded
        what={`${creator?.name ?? 'someone'} added ${name}`}
        at={at}
        waits={deletion?.state === 'waiting'}
        remove={() => deleteRecord({ slug, resource: record.type, id: record.id, name })}
      />
    </span>
  )
}

const UNDO_MS = RESTORE_DAYS * 86_400_000

/** Removes what was added, with a way back. */
function UndoAdded(props: { what: string; at: string; waits?: boolean; remove(): Promise<void> | 'later' }) {
  const { what, at, waits = false, remove } = props
  const { role } = useWorkspace()
  const undoing = useAction(async () => remove())
  if (!roleMay(role, 'delete') || Date.parse(at) < Date.now() - UNDO_MS) return null
  return <UndoButton what={what} at={at} disabled={undoing.isPending || waits} onClick={() => undoing.mutate()} />
}
