import { creationSources } from '@kith/contract/creation-source'
import { filterableNamed } from '@kith/contract/filterable'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { type Field, useAllFields } from '../../../api/fields.ts'
import { ChoiceOperand } from '../../../fields/choice-operand.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { MomentOperand } from '../../../fields/moment-operand.tsx'
import { TextListOperand } from '../../../fields/text-list-operand.tsx'
import { TextOperand } from '../../../fields/text-operand.tsx'
import { labels } from '../../../properties/property.ts'
import { BetweenOperand } from './between-operand.tsx'
import type { ConditionNode, Subject } from './filter-tree.ts'
import { PeriodOperand } from './period-operand.tsx'
import { RelatedOperand } from './related-operand.tsx'

type Props = { condition: ConditionNode; resource: Resource; onChange(value: unknown): void }

/** Where the value of a condition is given, by what the condition asks about. */
export function Operand({ condition, resource, onChange }: Props) {
  const fields = useAllFields()
  const { subject, operator, value } = condition
  if (!subject || !operator || operator === '$is_empty') return null
  if (operator === '$between')
    return <BetweenOperand name={nameOf(subject, fields)} value={value} onChange={onChange} />
  if (operator === '$during') {
    const name = nameOf(subject, fields)
    return <PeriodOperand name={name} value={value} canBeOverdue={subject.kind === 'custom'} onChange={onChange} />
  }
  if (subject.kind === 'itself')
    return <RelatedOperand to={resource.type} name={resource.one} value={value} onChange={onChange} />
  if (subject.kind === 'custom') {
    const field = fields.find(({ code, entity_type }) => code === subject.code && entity_type === resource.type)
    if (!field) return null
    const View = subject.hosts ? TextListOperand : fieldViews[field.type].Operand
    return <View field={field} operator={operator} value={value} onChange={onChange} />
  }
  const filterable = filterableNamed(resource, subject.name)
  const field = { name: labels[subject.name] ?? subject.name, options: [] }
  switch (filterable?.kind) {
    case 'text':
      return <TextOperand field={field} operator={operator} value={value} onChange={onChange} />
    case 'time':
      return <MomentOperand field={field} operator={operator} value={value} onChange={onChange} />
    case 'id':
      return <RelatedOperand to={resource.type} name={resource.one} value={value} onChange={onChange} />
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

function nameOf(subject: Subject, fields: readonly Field[]): string {
  if (subject.kind === 'itself') return ''
  if (subject.kind === 'native') return labels[subject.name] ?? subject.name
  return fields.find(({ code }) => code === subject.code)?.name ?? subject.code
}

const YesOrNo = fieldViews.toggle.Operand

/** The API takes the words themselves, so they are shown as they are. */
const sourceOptions: Field['options'] = creationSources.map((source) => ({ id: source, label: source, color: null }))

function relatedType(filterable: { kind: 'member' } | { kind: 'record'; to: RelatedType }): RelatedType {
  return filterable.kind === 'member' ? 'users' : filterable.to
}
