import { Tag, X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { Pill } from '../components/pill.tsx'
import { useEdited } from './edit-state.tsx'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextListOperand } from './operands.tsx'
import { ValuePopover } from './value-popover.tsx'
import { textsIn } from './values.ts'

export const tagsInput: FieldView = {
  name: 'Tags',
  group: 'Several choices',
  about: 'Any words, without a fixed list',
  icon: Tag,
  width: 200,
  Show,
  Edit: TagsEditor,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  const tags = textsIn(value)
  if (tags.length === 0) return null
  return (
    <span title={tags.join(', ')} className="flex gap-1 overflow-hidden">
      {tags.map((tag) => (
        <Pill key={tag}>{tag}</Pill>
      ))}
    </span>
  )
}

/** Edits tags. Enter adds the typed tag, and saves if there is none; Backspace removes the last tag. */
function TagsEditor({ value, field, onSave, onType, onLeave, onCancel }: EditProps) {
  const known = textsIn(value)
  const [tags, setTags] = useEdited(known)
  const [typed, setTyped] = useState('')
  const [leftOut, setLeftOut] = useState(0)
  const full = tags.length >= field.max_values
  const change = (next: { tags?: string[]; typed?: string }) => {
    const now = { tags, typed, ...next }
    setTags(now.tags)
    setTyped(now.typed)
    onType(withTag(now.tags, now.typed))
  }
  const save = () => {
    const all = withTag(tags, typed)
    if (all.join('\n') === known.join('\n')) onLeave()
    else onSave(all)
  }
  /** Each line of a pasted text is a tag. */
  const onPaste = (event: ClipboardEvent) => {
    const lines = linesIn(event.clipboardData.getData('text'))
    if (lines.length < 2) return
    event.preventDefault()
    const all = lines.reduce(withTag, withTag(tags, typed))
    setLeftOut(Math.max(0, all.length - field.max_values))
    change({ tags: all.slice(0, field.max_values), typed: '' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Backspace' && typed === '') change({ tags: tags.slice(0, -1) })
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (typed.trim() === '' || event.metaKey || event.ctrlKey) return save()
    change({ tags: withTag(tags, typed), typed: '' })
  }
  return (
    <ValuePopover label={field.name} onClose={save} onCancel={onCancel} className="w-72 p-2">
      <div
        className={classNames(
          'flex max-h-60 flex-wrap gap-1 overflow-y-auto rounded-md border border-edge bg-paper p-1',
          'focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent',
        )}
      >
        {tags.map((tag) => (
          <span
            key={tag}
            data-tint="gray"
            className="inline-flex h-6 max-w-full min-w-0 items-center gap-0.5 rounded-sm pr-0.5 pl-1.5 text-xs font-medium"
          >
            <span dir="auto" className="truncate">
              {tag}
            </span>
            <button
              type="button"
              aria-label={`Remove ${tag}`}
              onClick={() => change({ tags: tags.filter((one) => one !== tag) })}
              className="grid size-5 shrink-0 place-items-center rounded-sm hover:bg-hover"
            >
              <X aria-hidden className="size-3" />
            </button>
          </span>
        ))}
        <input
          aria-label={field.name}
          placeholder={full ? `At most ${field.max_values}` : 'Add a tag'}
          dir="auto"
          autoComplete="off"
          enterKeyHint="enter"
          readOnly={full}
          value={typed}
          onChange={(event) => change({ typed: event.target.value })}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="h-6 min-w-20 flex-1 bg-transparent px-1 text-sm outline-none placeholder:text-faint"
        />
      </div>
      <div className="mt-2 flex items-center justify-between gap-2">
        <span role="status" className="text-xs text-faint">
          {leftOut > 0 ? `${leftOut} left out: at most ${field.max_values} tags` : 'Enter adds a tag'}
        </span>
        <Button size="small" look="primary" onClick={save}>
          Save
        </Button>
      </div>
    </ValuePopover>
  )
}

/** The lines and cells of a pasted text. */
function linesIn(text: string): string[] {
  return text
    .split(/[\r\n\t]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function withTag(tags: readonly string[], typed: string): string[] {
  const tag = typed.trim()
  return tag === '' || tags.includes(tag) ? [...tags] : [...tags, tag]
}
