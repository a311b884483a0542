import { CalendarClock } from 'lucide-react'
import { Moment } from '../components/moment.tsx'
import { formatMoment, fromLocalInput, toLocalInput } from '../format/moments.ts'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { InlineInput } from './inline-input.tsx'
import { MomentOperand } from './operands.tsx'
import { textIn } from './values.ts'

export const dateTime: FieldView = {
  name: 'Date and time',
  group: 'Numbers and time',
  about: 'A day and a time, shown in each reader’s time zone',
  icon: CalendarClock,
  width: 180,
  Show,
  Edit,
  Operand: MomentOperand,
}

function Show({ value }: ShowProps) {
  const moment = textIn(value)
  if (moment === '') return null
  return (
    <Moment at={moment} className="block truncate">
      {formatMoment(moment)}
    </Moment>
  )
}

/** The reader types by their own clock; the service keeps UTC. */
function Edit({ value, field, onSave, onType, ...rest }: EditProps) {
  const moment = textIn(value)
  return (
    <InlineInput
      type="datetime-local"
      aria-label={field.name}
      initial={moment === '' ? '' : toLocalInput(moment)}
      onSave={(typed) => onSave(typed === '' ? null : fromLocalInput(typed))}
      onType={(typed) => onType(typed === '' ? null : fromLocalInput(typed))}
      {...rest}
    />
  )
}
