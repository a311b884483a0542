import { fieldTypes } from '@kith/contract/field-types'
import { hostOperators } from '@kith/contract/filterable'
import { filterableNamed } from '@kith/contract/filterable-named'
import type { Operator } from '@kith/contract/operators'
import { type Filterable, type Resource, resourceIn } from '@kith/contract/resource'
import { appearanceOf, withArticle } from '../../../resources.ts'
import type { ConditionNode, ListOperator, Subject } from './filter-tree.ts'
import { nameIn } from './filterable-of.ts'

/** One way to ask about something: what a line of the builder offers after the field. */
export type OperatorChoice = {
  id: string
  label: string
  operator: ListOperator
  /** Where the operator has no operand to type: its value. */
  value?: boolean
  /** Asks about the hosts of the values. */
  hosts?: boolean
  /** Not an operator: conditions on the related record. */
  where?: boolean
}

/** Every operator that a list takes for a subject, in words. */
export function operatorChoices(subject: Subject, resource: Resource): OperatorChoice[] {
  if (subject.kind === 'itself') return choicesOf(['$in'], 'members')
  const filterable = filterableNamed(nameIn(subject), resource)
  if (filterable) return nativeChoices(filterable, resource)
  if (subject.kind === 'custom') {
    const field = resource.fields.byCode.get(subject.code)
    if (!field) return []
    const { operators, hosts } = fieldTypes[field.type]
    const own = choicesOf(operators, fieldTypes[field.type].isTime ? 'times' : 'values')
    return hosts ? [...own, ...hostChoices()] : own
  }
  return []
}

/** The choice that a condition has made. */
export function choiceOf(condition: ConditionNode, choices: readonly OperatorChoice[]): OperatorChoice | undefined {
  const hosts = condition.subject?.kind === 'custom' && condition.subject.hosts
  return choices.find(
    (choice) =>
      choice.operator === condition.operator &&
      (choice.hosts ?? false) === hosts &&
      (choice.value === undefined || choice.value === condition.value) &&
      !choice.where,
  )
}

function nativeChoices(filterable: Filterable, { schema }: Resource): OperatorChoice[] {
  const { kind, operators } = filterable
  if (kind === 'time') return choicesOf(operators, 'times')
  if (kind === 'member' || kind === 'source' || kind === 'id') return choicesOf(operators, 'members')
  if (kind !== 'record') return choicesOf(operators, 'values')
  const where = {
    id: 'where',
    label: `is ${withArticle(appearanceOf(resourceIn(schema, filterable.to)).one)} where`,
    operator: '$in' as const,
    where: true,
  }
  return [where, ...choicesOf(operators, 'members')]
}

type OperandKind = 'values' | 'times' | 'members'

function choicesOf(operators: readonly Operator[], kind: OperandKind): OperatorChoice[] {
  const relative = kind === 'times' ? relativeChoices : []
  const choices = operators.flatMap((operator): OperatorChoice[] => {
    if (operator !== '$is_empty') return [{ id: operator, operator, label: wordOf(operator, kind) }]
    return [
      { id: 'empty', operator, value: true, label: 'is empty' },
      { id: 'not-empty', operator, value: false, label: 'is not empty' },
    ]
  })
  return [...relative, ...choices]
}

const relativeChoices: readonly OperatorChoice[] = [
  { id: '$during', operator: '$during', label: 'is within' },
  { id: '$between', operator: '$between', label: 'is between' },
]

/** Operators that only lists know, because their days are those of the reader. */
export function isRelative({ operator }: OperatorChoice): boolean {
  return operator === '$during' || operator === '$between'
}

function hostChoices(): OperatorChoice[] {
  return hostOperators.map((operator) => ({
    id: `domain ${operator}`,
    operator,
    hosts: true,
    label: operator === '$in' ? 'domain is any of' : 'domain is none of',
  }))
}

function wordOf(operator: Operator, kind: OperandKind): string {
  return (kind === 'times' ? timeWords[operator] : undefined) ?? words[operator]
}

const words: Readonly<Record<Operator, string>> = {
  $eq: 'is',
  $contains: 'contains',
  $is_empty: 'is empty',
  $gt: 'is more than',
  $gte: 'is at least',
  $lt: 'is less than',
  $lte: 'is at most',
  $has_any: 'has any of',
  $has_none: 'has none of',
  $in: 'is any of',
  $not_in: 'is none of',
}

const timeWords: Partial<Readonly<Record<Operator, string>>> = {
  $eq: 'is on',
  $gt: 'is after',
  $gte: 'is on or after',
  $lt: 'is before',
  $lte: 'is on or before',
}
