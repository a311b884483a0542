import type { PicturedMember } from '@kith/contract/app/members'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useMembers } from '../api/members.ts'
import { sessionQuery } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { Textarea } from '../components/controls.tsx'
import { floatLook } from '../components/popover.tsx'
import { UserAvatar } from '../user-avatar.tsx'
import type { CommentDraft } from './comment-draft.ts'
import { beginningAt, matching, named } from './mentions.ts'

/** So many members are suggested. */
const SUGGESTED = 6

/** Writes a comment. After @, members are suggested. */
export function CommentEditor(props: {
  /** What is written, such as "New comment". */
  label: string
  placeholder: string
  /** The words on the button that sends it. */
  send: string
  draft: CommentDraft
  autoFocus?: boolean
  /** Closes an editor that was opened. It stays while its text is not saved. */
  onClose?(): void
  /** Above the text. */
  children?: ReactNode
}) {
  const { label, placeholder, send, draft, autoFocus = false, onClose, children } = props
  const { text, mentioned, isWaiting, problem } = draft
  const place = useRef<HTMLTextAreaElement>(null)
  const mentions = useMentions(draft)
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    draft.send()
    onClose?.()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || mentions.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
    if (event.key !== 'Escape') return
    // What is typed stays.
    event.stopPropagation()
    if (text === '' && onClose) onClose()
    else place.current?.blur()
  }
  useEffect(() => {
    if (autoFocus) place.current?.focus()
  }, [autoFocus])
  return (
    <form aria-label={label} onSubmit={submit}>
      <div className="relative rounded-lg border border-edge focus-within:border-accent">
        {children}
        <Textarea
          ref={place}
          dir="auto"
          rows={1}
          aria-label={`Text of the ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
          placeholder={placeholder}
          value={text}
          readOnly={isWaiting}
          onChange={({ target }) => {
            draft.type(target.value)
            mentions.moveTo(target.selectionStart)
          }}
          onSelect={({ currentTarget }) => mentions.moveTo(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onBlur={() => mentions.moveTo(undefined)}
          className="field-sizing-content max-h-80 min-h-8! resize-none border-transparent bg-transparent hover:border-transparent focus:border-transparent focus:outline-none"
          {...mentions.attributes}
        />
        {draft.other !== undefined && <OtherText draft={draft} text={draft.other} />}
        {(text !== '' || onClose) && (
          <div className="flex flex-wrap items-center gap-2 px-2 pb-2">
            <Button type="submit" look="primary" size="small" disabled={isWaiting || text.trim() === ''}>
              {send}
            </Button>
            <Button
              size="small"
              look="quiet"
              disabled={isWaiting}
              onClick={() => {
                draft.discard()
                onClose?.()
              }}
            >
              {draft.exists ? 'Discard' : 'Cancel'}
            </Button>
            {mentioned.length > 0 && (
              <span className="min-w-0 text-xs text-quiet wrap-anywhere">
                Mentions {mentioned.map(({ name }) => name).join(', ')}
              </span>
            )}
          </div>
        )}
        {mentions.suggestions(place)}
      </div>
      {problem !== undefined && (
        <p role="alert" className="px-2.5 pt-1 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}

/** The text that was typed in another tab at the same time. */
function OtherText({ draft, text }: { draft: CommentDraft; text: string }) {
  return (
    <div role="alert" className="mx-2.5 mb-2 text-sm">
      <p className="text-xs text-danger">You have typed this in another tab. Nothing is overwritten yet.</p>
      <p className="my-1 max-h-40 overflow-y-auto rounded-sm bg-hover p-2 whitespace-pre-wrap wrap-anywhere">{text}</p>
      <Button size="small" onClick={draft.takeOther}>
        Go on with this text
      </Button>
    </div>
  )
}

/** The members that fit to the name that is being typed after @. */
function useMentions({ text, people, isWaiting, type }: CommentDraft) {
  const id = useId()
  const { data: session } = useQuery(sessionQuery)
  const members = useMembers()
  const [cursor, setCursor] = useState<number>()
  const [chosen, setChosen] = useState(0)
  /** Where the @ of the suggestions is that were closed. */
  const [closed, setClosed] = useState<number>()
  const begun = cursor === undefined || isWaiting ? undefined : beginningAt(text, cursor, people)
  const others = members.filter((member) => member.id !== session?.user.id)
  const shown = begun && begun.at !== closed ? matching(others, begun.text).slice(0, SUGGESTED) : []
  const active = Math.min(chosen, shown.length - 1)
  const pick = (member: PicturedMember, into: HTMLTextAreaElement | null) => {
    if (!begun || !into) return
    const person = named(member, people, member.email)
    into.setRangeText(`@${person.name} `, begun.at, begun.at + 1 + begun.text.length, 'end')
    type(into.value, people.some((one) => one.id === person.id) ? people : [...people, person])
    setCursor(into.selectionStart)
    into.focus()
  }
  return {
    moveTo(next: number | undefined) {
      setCursor(next)
      setChosen(0)
      if (next === undefined) setClosed(undefined)
    },
    /** Whether the key was for the suggestions. */
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
      const member = shown[active]
      if (!begun || !member || event.metaKey || event.ctrlKey || event.altKey) return false
      if (event.key === 'ArrowDown') setChosen((active + 1) % shown.length)
      else if (event.key === 'ArrowUp') setChosen((active + shown.length - 1) % shown.length)
      else if (event.key === 'Enter' || event.key === 'Tab') pick(member, event.currentTarget)
      else if (event.key === 'Escape') setClosed(begun.at)
      else return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
    attributes: shown.length > 0 && {
      'aria-autocomplete': 'list' as const,
      'aria-controls': id,
      'aria-activedescendant': `${id}-${active}`,
    },
    suggestions(place: { current: HTMLTextAreaElement | null }) {
      if (shown.length === 0) return null
      return (
        <div
          id={id}
          role="listbox"
          aria-label="Members"
          className={classNames(floatLook, 'absolute top-full left-0 mt-1 w-72 max-w-full p-1')}
        >
          {shown.map((member, index) => (
            <div
              key={member.id}
              id={`${id}-${index}`}
              ref={(option) => {
                if (index === active) option?.scrollIntoView({ block: 'nearest' })
              }}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // The text keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onPointerMove={() => setChosen(index)}
              onClick={() => pick(member, place.current)}
              onKeyDown={() => undefined}
              className="flex min-h-8 items-center gap-2 rounded-sm px-2 py-1 text-sm select-none aria-selected:bg-hover"
            >
              <UserAvatar id={member.id} name={member.name} />
              <span className="max-w-full shrink-0 truncate">{member.name}</span>
              <span className="min-w-0 flex-1 truncate text-right text-xs text-faint">{member.email}</span>
            </div>
          ))}
        </div>
      )
    },
  }
}
