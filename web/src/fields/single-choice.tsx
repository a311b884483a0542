import { ChevronDownCircle, CircleDot, RectangleEllipsis } from 'lucide-react'
import { Combobox } from '../components/combobox.tsx'
import { Pill } from '../components/pill.tsx'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { ChoiceOperand } from './operands.tsx'
import { colorOf, optionItems } from './options.tsx'
import { ValuePopover } from './value-popover.tsx'
import { choiceIn } from './values.ts'

const view = { width: 150, Show, Edit, Operand: ChoiceOperand }

export const select: FieldView = {
  name: 'Select',
  group: 'One choice',
  about: 'One of a list; makes the columns of a board',
  icon: ChevronDownCircle,
  ...view,
}
export const radio: FieldView = { name: 'Radio', group: 'One choice', about: 'One of a few', icon: CircleDot, ...view }
export const toggleButtons: FieldView = {
  name: 'Toggle buttons',
  group: 'One choice',
  about: 'One of a few, as buttons',
  icon: RectangleEllipsis,
  ...view,
}

const NONE = 'none'

function Show({ value, field }: ShowProps) {
  const choice = choiceIn(value)
  if (!choice) return null
  return <Pill tint={colorOf(field, choice.id)}>{choice.label}</Pill>
}

function Edit({ value, field, onSave, onLeave, onCancel }: EditProps) {
  const chosen = choiceIn(value)
  const pick = (id: string) => {
    const option = field.options.find((candidate) => candidate.id === id)
    onSave(option ? { id: option.id, label: option.label } : null)
  }
  const items = optionItems(field)
  return (
    <ValuePopover label={field.name} onClose={onLeave} onCancel={onCancel} className="w-56">
      <Combobox
        label={`Choose ${field.name}`}
        placeholder={field.name}
        items={chosen ? [...items, { value: NONE, label: 'Clear' }] : items}
        chosen={chosen ? [chosen.id] : []}
        onPick={pick}
      />
    </ValuePopover>
  )
}
