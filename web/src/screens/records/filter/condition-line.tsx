import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import { ChevronDown, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { Combobox, type ComboboxItem } from '../../../components/combobox.tsx'
import { inputLook } from '../../../components/controls.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { Select } from '../../../components/select.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { labelOf } from '../../../properties/property.ts'
import { appearanceOf } from '../../../resources.ts'
import { type ConditionNode, emptyCondition, type FilterNode, newKey, type Subject } from './filter-tree.ts'
import { nameIn } from './filterable-of.ts'
import { Operand, useMayBeRelative } from './operand.tsx'
import { choiceOf, isRelative, type OperatorChoice, operatorChoices } from './operator-choices.ts'

/** One condition: a field, an operator, a value. */
export function ConditionLine(props: {
  condition: ConditionNode
  resource: Resource
  related: boolean
  /** How many relations may still be nested below. */
  relationsLeft: number
  onChange(node: FilterNode): void
  onRemove(): void
}) {
  const { condition, resource, related, relationsLeft, onChange, onRemove } = props
  const mayBeRelative = useMayBeRelative()
  const { subject } = condition
  const choicesFor = (asked: Subject) =>
    operatorChoices(asked, resource).filter((choice) => mayBeRelative || !isRelative(choice))
  const choices = subject ? choicesFor(subject).filter(({ where }) => !where || relationsLeft > 0) : []
  const chosen = choiceOf(condition, choices)
  const ask = (asked: Subject, choice: OperatorChoice | undefined) => {
    if (choice?.where) {
      onChange({ node: 'related', key: newKey(), relation: nameIn(asked), children: [emptyCondition()] })
    } else if (choice) onChange(withChoice(condition, asked, { choice, before: chosen }))
  }
  const pickSubject = (picked: Subject) => {
    const [first] = choicesFor(picked).filter(({ where }) => !where)
    ask(picked, first)
  }
  return (
    <div className="flex flex-wrap items-start gap-1.5 sm:flex-nowrap">
      <div className="w-36 shrink-0 grow sm:grow-0">
        <SubjectPicker
          subject={subject}
          resource={resource}
          related={related}
          relations={relationsLeft > 0}
          onPick={pickSubject}
        />
      </div>
      {subject && (
        <div className="w-40 shrink-0 grow sm:grow-0">
          <Select
            label="Operator"
            value={chosen?.id ?? ''}
            onValueChange={(id) =>
              ask(
                subject,
                choices.find((choice) => choice.id === id),
              )
            }
            choices={choices.map(({ id, label }) => ({ value: id, label }))}
          />
        </div>
      )}
      <div className="min-w-36 flex-1">
        <Operand
          key={`${JSON.stringify(subject)} ${chosen?.id}`}
          condition={condition}
          resource={resource}
          onChange={(value) => onChange({ ...condition, value })}
        />
      </div>
      <IconButton label="Remove the condition" onClick={onRemove}>
        <X />
      </IconButton>
    </div>
  )
}

/** A value stays where the new operator takes one of the same form. */
function withChoice(
  condition: ConditionNode,
  subject: Subject,
  { choice, before }: { choice: OperatorChoice; before: OperatorChoice | undefined },
): ConditionNode {
  const asked: Subject = subject.kind === 'custom' ? { ...subject, hosts: choice.hosts ?? false } : subject
  const sameSubject = JSON.stringify(condition.subject) === JSON.stringify(asked)
  const keeps = sameSubject && before !== undefined && formOf(before) === formOf(choice) && before.value === undefined
  const value = choice.value ?? (keeps ? condition.value : undefined)
  return { ...condition, subject: asked, operator: choice.operator, value }
}

/** Operators with values of one form. */
function formOf(choice: OperatorChoice): string {
  if (isRelative(choice)) return choice.operator
  return ['$in', '$not_in', '$has_any', '$has_none'].includes(choice.operator) ? 'list' : 'single'
}

/** Chooses the subject of a condition: everything that the API can filter by. */
function SubjectPicker(props: {
  subject: Subject | undefined
  resource: Resource
  /** Conditions on a related record can also test the record itself. */
  related: boolean
  /** Whether relations are allowed here. */
  relations: boolean
  onPick(subject: Subject): void
}) {
  const { subject, resource, related, relations, onPick } = props
  const [open, setOpen] = useState(false)
  const shown = subject ? subjectLabel(subject, resource) : 'Choose a field'
  const pick = (value: string) => {
    setOpen(false)
    onPick(subjectIn(value))
  }
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger
        aria-label={`Field: ${shown}`}
        className={classNames(inputLook, 'flex items-center gap-1.5 text-left', !subject && 'text-faint')}
      >
        <span className="min-w-0 flex-1 truncate">{shown}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label="Fields" className="w-64">
        <Combobox label="Choose a field" items={subjectItems(resource, { related, relations })} onPick={pick} />
      </PopoverContent>
    </Popover>
  )
}

function subjectLabel(subject: Subject, resource: Resource): string {
  if (subject.kind === 'itself') return `The ${appearanceOf(resource).one}`
  if (subject.kind === 'native') return labelOf(resource, subject.name)
  return resource.fields.byCode.get(subject.code)?.name ?? subject.code
}

function subjectItems(
  resource: Resource,
  { related, relations }: { related: boolean; relations: boolean },
): ComboboxItem[] {
  const natives = [...resource.filterables.values()]
    // Ids are for programs: a person picks records by name.
    .filter(({ kind }) => kind !== 'id')
    .filter(({ kind }) => relations || (kind !== 'member' && kind !== 'record'))
    .map(({ name, kind }) => ({
      value: `native ${name}`,
      label: labelOf(resource, name),
      group: kind === 'record' || kind === 'member' ? 'Relations' : 'Fields',
    }))
  const fields = resource.fields.list.filter(({ type }) => relations || !fieldTypes[type].refersTo)
  const customs = fields.map((field) => {
    const { icon: Icon } = fieldViews[field.type]
    return { value: `custom ${field.code}`, label: field.name, group: 'Fields', icon: <Icon className="text-faint" /> }
  })
  const itself = related ? [{ value: 'itself', label: `The ${appearanceOf(resource).one}`, group: 'Relations' }] : []
  const [name, ...others] = natives
  return [...(name ? [name] : []), ...customs, ...others, ...itself]
}

function subjectIn(value: string): Subject {
  const [kind, name = ''] = value.split(' ')
  if (kind === 'custom') return { kind, code: name, hosts: false }
  return kind === 'native' ? { kind, name } : { kind: 'itself' }
}
