import { MessageSquare } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type ReactNode, type SyntheticEvent, useId, useState } from 'react'
import { useMembers } from '../../api/members.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSchema } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { useCommentDraft } from '../../comments/comment-draft.ts'
import { CommentEditor } from '../../comments/comment-editor.tsx'
import { Button, type ButtonProps } from '../../components/button.tsx'
import { Input, Textarea } from '../../components/controls.tsx'
import { Select } from '../../components/select.tsx'
import { filesIn, pastedFiles } from '../../components/transferred-files.ts'
import { type ActivityDraft, isEmpty, useActivityDraft } from '../../drafts/activity-draft.ts'
import type { BackReference } from '../../properties/back-references.ts'
import { appearanceIn, useAppearance, withArticle } from '../../resources.ts'
import { addFiles, useUploadsOf } from '../../uploads/uploads.ts'
import { ownerOf, useMayAddFiles } from '../files/file-drop.tsx'

const NOBODY = 'nobody'

/** Adds a note, a task or a comment to a record, in its place. Not every record has notes and tasks. */
export function Composer({ record, kin }: { record: ApiRecord; kin: readonly BackReference[] }) {
  const comment = useCommentDraft({ record })
  const own = useActivityDraft(record, kin)
  const { kind, title, body } = own.draft
  const schema = useSchema()
  const [chosen, setChosen] = useState<boolean>()
  const isComment = kin.length === 0 || (chosen ?? (comment.exists && title + body === ''))
  const choices = kin.toReversed().map(({ resource }) => ({ ...appearanceIn(schema, resource), resource }))
  const kinds = kin.length > 0 && (
    <div className="flex items-center gap-1 border-b border-line px-1.5 py-1">
      {choices.map(({ icon: Icon, singular, resource }) => (
        <Kind
          key={resource}
          active={!isComment && kind === resource}
          onClick={() => {
            setChosen(false)
            own.change({ kind: resource === 'tasks' ? 'tasks' : 'notes' })
          }}
        >
          <Icon aria-hidden />
          {singular}
        </Kind>
      ))}
      <Kind active={isComment} onClick={() => setChosen(true)}>
        <MessageSquare aria-hidden />
        Comment
      </Kind>
    </div>
  )
  return (
    <div className="mb-3">
      {isComment ? (
        <CommentEditor
          label="New comment"
          placeholder="Write a comment. @ mentions a member."
          send="Comment"
          draft={comment}
        >
          {kinds}
        </CommentEditor>
      ) : (
        <NoteOrTask record={record} own={own}>
          {kinds}
        </NoteOrTask>
      )}
    </div>
  )
}

function Kind({ active, ...rest }: ButtonProps) {
  return <Button size="small" look="quiet" active={active} aria-pressed={active} {...rest} />
}

function NoteOrTask(props: { record: ApiRecord; own: ReturnType<typeof useActivityDraft>; children: ReactNode }) {
  const { record, own, children } = props
  const { draft, isWaiting, problem, change: onChange, begin, create, discard } = own
  const { one } = useAppearance(draft.kind)
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!isEmpty(draft) && !isUploading) create()
  }
  const slug = useSlug()
  const mayAdd = useMayAddFiles()
  const isUploading = useUploadsOf(slug, record).some(({ into, state }) => into === 'note' && state === 'waiting')
  /** Files that are put into the text of a new note belong to the record that it is about. */
  const take = (event: SyntheticEvent, files: readonly File[]) => {
    if (!mayAdd || files.length === 0) return
    event.preventDefault()
    begin()
    addFiles({ slug, owner: ownerOf(record), into: 'note' }, files)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  return (
    <form
      aria-label={`New ${one}`}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="rounded-lg border border-edge focus-within:border-accent"
    >
      {children}
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
          onPaste={(event) => take(event, pastedFiles(event.clipboardData))}
          onDrop={(event) => take(event, filesIn(event.dataTransfer))}
          className={`${bare} min-h-8! resize-y`}
        />
      ) : (
        <TaskFields draft={draft} onChange={onChange} />
      )}
      {(!isEmpty(draft) || isUploading) && (
        <div className="flex items-center gap-2 px-2 pb-2">
          <Button type="submit" look="primary" size="small" disabled={isWaiting || isUploading}>
            Add {one}
          </Button>
          <Button size="small" look="quiet" onClick={discard}>
            Discard
          </Button>
          {isUploading && <span className="text-xs text-faint">Waiting for the upload…</span>}
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
          className="h-7! w-50!"
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
          className="h-7! w-44!"
        />
      </div>
    </div>
  )
}
