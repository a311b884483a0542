import { creationSources } from '@kith/contract/creation-source'
import { filterableNamed } from '@kith/contract/filterable-named'
import {
  countedDays,
  dayAt,
  daysOf,
  OVERDUE,
  offeredPeriods,
  PERIOD_DAYS_MAX,
  periodLabel,
} from '@kith/contract/relative/periods'
import { ME } from '@kith/contract/relative/resolve-filter'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { createContext, useContext, useState } from 'react'
import type { Field } from '../../../api/fields.ts'
import { classNames } from '../../../components/class-names.ts'
import { Combobox } from '../../../components/combobox.tsx'
import { Input, inputLook } from '../../../components/controls.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { Select } from '../../../components/select.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { ChoiceOperand, MomentOperand, TextListOperand, TextOperand } from '../../../fields/operands.tsx'
import { textIn, textsIn } from '../../../fields/values.ts'
import { formatDays } from '../../../format/moments.ts'
import { labelOf } from '../../../properties/property.ts'
import { useRelatedChoices } from '../../../properties/related-choices.ts'
import { RelatedAvatar } from '../../../properties/related-name.tsx'
import { appearanceOf } from '../../../resources.ts'
import { useReader } from '../relative/use-reader.ts'
import type { ConditionNode, Subject } from './filter-tree.ts'
import { nameIn } from './filterable-of.ts'
import { useNames } from './use-names.ts'

/** The input for the value of a condition. */
export function Operand(props: { condition: ConditionNode; resource: Resource; onChange(value: unknown): void }) {
  const { condition, resource, onChange } = props
  const { subject, operator, value } = condition
  if (!subject || !operator || operator === '$is_empty') return null
  if (operator === '$between')
    return <BetweenOperand name={nameOf(subject, resource)} value={value} onChange={onChange} />
  if (operator === '$during') {
    const name = nameOf(subject, resource)
    return <PeriodOperand name={name} value={value} canBeOverdue={subject.kind === 'custom'} onChange={onChange} />
  }
  if (subject.kind === 'itself')
    return <RelatedOperand to={resource.type} name={appearanceOf(resource).one} value={value} onChange={onChange} />
  const filterable = filterableNamed(nameIn(subject), resource)
  if (subject.kind === 'custom' && !filterable) {
    const field = resource.fields.byCode.get(subject.code)
    if (!field) return null
    const View = subject.hosts ? TextListOperand : fieldViews[field.type].Operand
    return <View field={field} operator={operator} value={value} onChange={onChange} />
  }
  const field = { name: nameOf(subject, resource), options: [] }
  switch (filterable?.kind) {
    case 'text':
      return <TextOperand field={field} operator={operator} value={value} onChange={onChange} />
    case 'time':
      return <MomentOperand field={field} operator={operator} value={value} onChange={onChange} />
    case 'id':
      return <RelatedOperand to={resource.type} name={appearanceOf(resource).one} value={value} onChange={onChange} />
    case 'source':
      return (
        <ChoiceOperand
          field={{ ...field, options: sourceOptions }}
          operator={operator}
          value={value}
          onChange={onChange}
        />
      )
    case 'computed':
      return <YesOrNo field={field} operator={operator} value={value} onChange={onChange} />
    case 'member':
    case 'record':
      return <RelatedOperand to={relatedType(filterable)} name={field.name} value={value} onChange={onChange} />
    default:
      return null
  }
}

function nameOf(subject: Subject, resource: Resource): string {
  if (subject.kind === 'itself') return ''
  if (subject.kind === 'native') return labelOf(resource, subject.name)
  return resource.fields.byCode.get(subject.code)?.name ?? subject.code
}

const YesOrNo = fieldViews.toggle.Operand

/** The API takes the words themselves, so they are shown as they are. */
const sourceOptions: Field['options'] = creationSources.map((source) => ({ id: source, label: source, color: null }))

function relatedType(filterable: { kind: 'member' } | { kind: 'record'; to: RelatedType }): RelatedType {
  return filterable.kind === 'member' ? 'users' : filterable.to
}

/** Two days, both included. The condition is complete as soon as both are given. */
function BetweenOperand({ name, value, onChange }: { name: string; value: unknown; onChange(value: unknown): void }) {
  const [[first = '', last = ''], setDays] = useState(() => textsIn(value))
  const change = (days: [string, string]) => {
    setDays(days)
    onChange(days.includes('') ? undefined : days)
  }
  return (
    <div className="flex items-center gap-1">
      <Input
        type="date"
        aria-label={`First day for ${name}`}
        value={first}
        onChange={(event) => change([event.target.value, last])}
      />
      <span className="text-xs text-faint">and</span>
      <Input
        type="date"
        aria-label={`Last day for ${name}`}
        value={last}
        onChange={(event) => change([first, event.target.value])}
      />
    </div>
  )
}

/** A period that moves with the calendar, and the days that it means now. */
function PeriodOperand(props: {
  name: string
  value: unknown
  /** Whether something can be late here: when a record was created cannot. */
  canBeOverdue: boolean
  onChange(value: unknown): void
}) {
  const { name, value, canBeOverdue, onChange } = props
  const reader = useReader(undefined)
  const period = textIn(value)
  const counted = countedDays(period)
  const range = daysOf(period, { ...reader, today: dayAt(reader.now, reader.timeZone) })
  const offered = canBeOverdue || period === OVERDUE ? [OVERDUE, ...offeredPeriods] : offeredPeriods
  const choices = period === '' || offered.includes(period) ? offered : [period, ...offered]
  return (
    <div>
      <div className="flex gap-1">
        <Select
          label={`Period for ${name}`}
          value={period}
          placeholder="Choose"
          onValueChange={onChange}
          choices={choices.map((choice) => ({ value: choice, label: periodLabel(choice) }))}
        />
        {counted && (
          <div className="w-18 shrink-0">
            <Input
              type="number"
              aria-label={`Days for ${name}`}
              min={1}
              max={PERIOD_DAYS_MAX}
              value={counted.days}
              onChange={(event) => {
                const next = `${counted.direction}_${event.target.value}_days`
                if (countedDays(next)) onChange(next)
              }}
            />
          </div>
        )}
      </div>
      {range && <p className="mt-1 text-xs text-faint">{formatDays(range.first, range.last)}</p>}
    </div>
  )
}

/** Members or records, by id in the filter and by name on the screen. */
function RelatedOperand(props: { to: RelatedType; name: string; value: unknown; onChange(value: unknown): void }) {
  const { to, name, value, onChange } = props
  const ids = textsIn(value)
  const names = useNames(to, ids)
  const shown = ids.length === 0 ? 'Choose' : names.join(', ')
  const [text, setText] = useState('')
  const { choices, ...found } = useRelatedChoices(to, text)
  const mayBeMe = useMayBeRelative() && to === 'users' && 'me'.startsWith(text.trim().toLowerCase())
  const me = { id: ME, type: to, name: 'Me', detail: 'The person who looks at the list' }
  const pick = (id: string) => {
    const next = ids.includes(id) ? ids.filter((known) => known !== id) : [...ids, id]
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <Popover>
      <PopoverTrigger
        aria-label={`Value for ${name}: ${shown}`}
        className={classNames(inputLook, 'flex items-center gap-1.5 text-left')}
      >
        <span className={classNames('min-w-0 flex-1 truncate', ids.length === 0 && 'text-faint')}>{shown}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label={name} className="w-68">
        <Combobox
          label={`Choose ${name}`}
          items={[...(mayBeMe ? [me] : []), ...choices].map((choice) => ({
            value: choice.id,
            label: choice.name,
            ...(choice.detail === undefined ? {} : { detail: choice.detail }),
            icon: <RelatedAvatar related={{ id: choice.id, type: to, name: choice.name }} />,
          }))}
          chosen={ids}
          onPick={pick}
          search={{ text, onText: setText, ...found }}
        />
      </PopoverContent>
    </Popover>
  )
}

/** Whether a filter may depend on its reader: periods and "me". The filters of lists may, others are for the API. */
export const RelativeContext = createContext(true)

export function useMayBeRelative(): boolean {
  return useContext(RelativeContext)
}
