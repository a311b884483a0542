import { AlignLeft } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Textarea } from '../components/input.tsx'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextOperand } from './text-operand.tsx'
import { ValuePopover } from './value-popover.tsx'
import { textIn } from './values.ts'

export const textarea: FieldView = {
  name: 'Long text',
  group: 'Text',
  about: 'Several lines, plain',
  icon: AlignLeft,
  width: 240,
  Show,
  Edit,
  Operand: TextOperand,
}

/** The beginning, on one line. */
function Show({ value }: ShowProps) {
  return (
    <span dir="auto" className="block truncate">
      {textIn(value).slice(0, 300)}
    </span>
  )
}

/** Enter makes a new line here, so that Ctrl or Cmd with Enter saves. */
export function Edit({ value, field, onSave, onCancel }: EditProps) {
  const [typed, setTyped] = useState(textIn(value))
  const save = () => onSave(typed.trim() === '' ? null : typed)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save()
  }
  return (
    <ValuePopover label={field.name} onClose={typed === textIn(value) ? onCancel : save} className="w-100 p-2">
      <Textarea
        aria-label={field.name}
        dir="auto"
        rows={8}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="mt-2 flex justify-end gap-2">
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
