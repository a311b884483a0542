import type { Said, Thread } from '@kith/contract/app/activity'
import type { CommentObject } from '@kith/contract/comment'
import { roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Ellipsis, Link2, MessageSquare, Pencil, Reply, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { deleteComment } from '../../api/comments.ts'
import type { ApiRecord } from '../../api/records.ts'
import { sessionQuery } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { commentPath, useCommentDraft } from '../../comments/comment-draft.ts'
import { CommentEditor } from '../../comments/comment-editor.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { copyText } from '../../components/copy.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { showToast } from '../../components/toast-store.ts'
import { useAction } from '../../forms/save.ts'
import { FoldedText } from '../../markdown/folded-text.tsx'
import { Line, When, Who } from './timeline-parts.tsx'

/** What was said about a record: a comment, the replies to it, and a way to reply. */
export function CommentThread({ thread, record }: { thread: Thread; record: ApiRecord }) {
  const { role } = useWorkspace()
  const { comment, replies, has_earlier } = thread
  // The first reply takes the place of a deleted comment, which gets no more replies.
  const isReply = comment.attributes.reply_to !== null
  return (
    <Line icon={<MessageSquare aria-hidden />}>
      <ol className="divide-y divide-line rounded-md border border-line">
        <Comment said={thread} record={record}>
          {isReply ? 'replied to a deleted comment' : 'commented'}
        </Comment>
        {has_earlier && <li className="px-3 py-2 text-xs text-faint">Earlier replies are not shown.</li>}
        {replies.map((reply) => (
          <Comment key={reply.comment.id} said={reply} record={record}>
            replied
          </Comment>
        ))}
        {!isReply && roleMay(role, 'create') && (
          <li className="px-1.5 py-1.5">
            <ReplyTo said={thread} record={record} />
          </li>
        )}
      </ol>
    </Line>
  )
}

/** A comment or reply. `children`: what its author did, in words. */
function Comment({ said, record, children }: { said: Said; record: ApiRecord; children: ReactNode }) {
  const { comment, creator } = said
  const { comment: linked } = useSearch({ strict: false })
  const { data: session } = useQuery(sessionQuery)
  const [editing, setEditing] = useState(false)
  const draft = useCommentDraft({ record, edited: comment })
  const { body, mentions, created_at } = comment.attributes
  const who = creator?.name ?? 'Someone'
  return (
    <li
      aria-label={`${who}, ${children}`}
      aria-current={linked === comment.id ? 'true' : undefined}
      className={classNames('px-3 py-1.5 first:rounded-t-md last:rounded-b-md', linked === comment.id && 'bg-selected')}
    >
      <div className="flex items-center gap-1">
        <p className="min-w-0 flex-1">
          <Who id={creator?.id} name={who} /> <span className="text-quiet">{children}</span>
          <span className="text-faint"> · </span>
          <When at={created_at} />
        </p>
        <CommentMenu comment={comment} record={record} who={who} onEdit={() => setEditing(true)} />
      </div>
      {editing || draft.exists ? (
        <div className="py-1">
          <CommentEditor
            label="Comment"
            placeholder="Write a comment. Markdown works."
            send="Save"
            draft={draft}
            autoFocus={editing}
            onClose={() => setEditing(false)}
          />
        </div>
      ) : (
        <FoldedText text={body} mentions={mentions.map((one) => ({ ...one, isReader: one.id === session?.user.id }))} />
      )}
    </li>
  )
}

/** What can be done with a comment. Its author edits it; they, admins and owners delete it. */
function CommentMenu(props: { comment: CommentObject; record: ApiRecord; who: string; onEdit(): void }) {
  const { comment, record, who, onEdit } = props
  const slug = useSlug()
  const queries = useQueryClient()
  const { role } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const isOwn = comment.attributes.creator_id === session?.user.id
  const removing = useAction(() => deleteComment(queries, slug, comment))
  const copy = async () => {
    await copyText(window.location.origin + commentPath(slug, record, comment.id))
    showToast({ message: 'Copied the link' })
  }
  return (
    <Menu>
      <MenuTrigger asChild>
        <IconButton size="small" label={`More about the comment of ${who}`}>
          <Ellipsis />
        </IconButton>
      </MenuTrigger>
      <MenuContent align="end">
        {isOwn && roleMay(role, 'update') && (
          <MenuItem icon={<Pencil />} onSelect={onEdit}>
            Edit
          </MenuItem>
        )}
        <MenuItem icon={<Link2 />} onSelect={copy}>
          Copy link
        </MenuItem>
        {roleMay(role, isOwn ? 'delete' : 'manage_comments') && (
          <>
            <MenuLine />
            <MenuItem icon={<Trash2 />} danger disabled={removing.isPending} onSelect={() => removing.mutate()}>
              Delete
            </MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  )
}

/** A button that opens an editor. A reply that was begun has its editor open. */
function ReplyTo({ said: { comment, creator }, record }: { said: Said; record: ApiRecord }) {
  const [open, setOpen] = useState(false)
  const draft = useCommentDraft({ record, replyTo: comment.id })
  const who = creator?.name ?? 'someone'
  const isOpen = open || draft.exists
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    // The editor had the focus.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (!isOpen) {
    return (
      <Button ref={button} size="small" look="quiet" aria-label={`Reply to ${who}`} onClick={() => setOpen(true)}>
        <Reply aria-hidden />
        Reply
      </Button>
    )
  }
  return (
    <CommentEditor
      label={`Reply to ${who}`}
      placeholder="Write a reply. @ mentions a member."
      send="Reply"
      draft={draft}
      autoFocus={open}
      onClose={() => setOpen(false)}
    />
  )
}
