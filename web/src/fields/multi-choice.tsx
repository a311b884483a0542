import { ListChecks, Tags } from 'lucide-react'
import { Combobox } from '../components/combobox.tsx'
import { Pill } from '../components/pill.tsx'
import { useEdited } from './edit-state.tsx'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { ChoiceOperand } from './operands.tsx'
import { colorOf, optionItems } from './options.tsx'
import { SaveLine, ValuePopover } from './value-popover.tsx'
import { type Choice, choicesIn } from './values.ts'

const view = { width: 200, Show, Edit, Operand: ChoiceOperand }

export const multiSelect: FieldView = {
  name: 'Multi-select',
  group: 'Several choices',
  about: 'Several of a list',
  icon: Tags,
  ...view,
}
export const checkboxList: FieldView = {
  name: 'Checkbox list',
  group: 'Several choices',
  about: 'Several of a few',
  icon: ListChecks,
  ...view,
}

function Show({ value, field }: ShowProps) {
  const choices = choicesIn(value)
  if (choices.length === 0) return null
  return (
    <span title={choices.map(({ label }) => label).join(', ')} className="flex gap-1 overflow-hidden">
      {choices.map(({ id, label }) => (
        <Pill key={id} tint={colorOf(field, id)}>
          {label}
        </Pill>
      ))}
    </span>
  )
}

/** Picks are gathered while the list is open and saved together when it closes. */
function Edit({ value, field, onSave, onType, onLeave, onCancel }: EditProps) {
  const [chosen, setChosen] = useEdited<Choice[]>(choicesIn(value))
  const pick = (id: string) => {
    const option = field.options.find((candidate) => candidate.id === id)
    const without = chosen.filter((choice) => choice.id !== id)
    const next = without.length < chosen.length || !option ? without : [...chosen, { id, label: option.label }]
    setChosen(next)
    onType(next)
  }
  const same =
    chosen.map(({ id }) => id).join() ===
    choicesIn(value)
      .map(({ id }) => id)
      .join()
  const save = () => (same ? onLeave() : onSave(chosen))
  return (
    <ValuePopover label={field.name} onClose={save} onCancel={onCancel} className="w-56">
      <Combobox
        label={`Choose ${field.name}`}
        placeholder={field.name}
        items={optionItems(field)}
        chosen={chosen.map(({ id }) => id)}
        onPick={pick}
        footer={<SaveLine onSave={save} />}
      />
    </ValuePopover>
  )
}
