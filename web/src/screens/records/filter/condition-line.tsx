import type { Resource } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { useAllFields } from '../../../api/fields.ts'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import { type ConditionNode, emptyCondition, type FilterNode, newKey, type Subject } from './filter-tree.ts'
import { Operand } from './operand.tsx'
import { choiceOf, isRelative, type OperatorChoice, operatorChoices } from './operator-choices.ts'
import { useMayBeRelative } from './relative-context.ts'
import { SubjectPicker } from './subject-picker.tsx'

type Props = {
  condition: ConditionNode
  resource: Resource
  related: boolean
  /** How many relations may still be nested below. */
  relationsLeft: number
  onChange(node: FilterNode): void
  onRemove(): void
}

/** One condition: a field, an operator, a value. */
export function ConditionLine({ condition, resource, related, relationsLeft, onChange, onRemove }: Props) {
  const fields = useAllFields()
  const mayBeRelative = useMayBeRelative()
  const { subject } = condition
  const choicesFor = (asked: Subject) =>
    operatorChoices(asked, resource, fields).filter((choice) => mayBeRelative || !isRelative(choice))
  const choices = subject ? choicesFor(subject).filter(({ where }) => !where || relationsLeft > 0) : []
  const chosen = choiceOf(condition, choices)
  const ask = (asked: Subject, choice: OperatorChoice | undefined) => {
    if (choice?.where && asked.kind === 'native') {
      onChange({ node: 'related', key: newKey(), relation: asked.name, children: [emptyCondition()] })
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
