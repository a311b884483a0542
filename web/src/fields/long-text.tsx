import { AlignLeft } from 'lucide-react'
import { type KeyboardEvent, useContext, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { Textarea } from '../components/controls.tsx'
import { EditState, useEdited } from './edit-state.tsx'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextOperand } from './operands.tsx'
import { ValuePopover } from './value-popover.tsx'
import { textIn } from './values.ts'

export const textarea: FieldView = {
  name: 'Long text',
  group: 'Text',
  about: 'Several lines, plain',
  icon: AlignLeft,
  width: 240,
  Show,
  ShowAll,
  Edit,
  Operand: TextOperand,
}

/** The beginning, on one line. */
function Show({ value }: ShowProps) {
  const shown = textIn(value)
  if (shown === '') return null
  return (
    <span dir="auto" className="block truncate">
      {shown.slice(0, 300)}
    </span>
  )
}

/** A very long text is cut until the reader wants to see more of it. */
function ShowAll({ value }: ShowProps) {
  const text = useRef<HTMLSpanElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)
  const shown = textIn(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may fit
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = text.current ?? {}
    setCut(scrollHeight > clientHeight)
  }, [shown])
  if (shown === '') return null
  return (
    <>
      <span
        ref={text}
        dir="auto"
        className={classNames('whitespace-pre-wrap wrap-anywhere', open ? 'block' : 'line-clamp-12')}
      >
        {shown}
      </span>
      {cut && (
        <button
          type="button"
          onClick={() => setOpen(!open)}
          className="pointer-events-auto relative text-xs text-accent hover:underline"
        >
          {open ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  )
}

/** Enter makes a new line here, so that Ctrl or Cmd with Enter saves. */
export function Edit({ value, field, onSave, onType, onLeave, onCancel }: EditProps) {
  const [typed, setTyped] = useEdited(textIn(value))
  const { status, failed } = useContext(EditState)
  const toValue = (text: string) => (text.trim() === '' ? null : text)
  const save = () => (typed === textIn(value) ? onLeave() : onSave(toValue(typed)))
  const type = (text: string) => {
    setTyped(text)
    onType(toValue(text))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save()
  }
  return (
    <ValuePopover label={field.name} onClose={save} onCancel={onCancel} className="w-100 p-2">
      <Textarea
        aria-label={field.name}
        dir="auto"
        rows={8}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <p role="status" className={classNames('min-w-0 flex-1 text-xs', failed ? 'text-danger' : 'text-quiet')}>
          {status}
        </p>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" look="primary" onClick={save}>
          Save
        </Button>
      </div>
    </ValuePopover>
  )
}
