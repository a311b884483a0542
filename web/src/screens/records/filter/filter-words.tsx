import { fieldTypes } from '@kith/contract/field-types'
import { filterableNamed } from '@kith/contract/filterable'
import { registry } from '@kith/contract/registry'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { Fragment } from 'react'
import { type Field, useAllFields } from '../../../api/fields.ts'
import { textsIn } from '../../../fields/values.ts'
import { formatDay, formatMoment } from '../../../format/moments.ts'
import { formatMoney, formatNumber } from '../../../format/numbers.ts'
import { labels, sources } from '../../../properties/property.ts'
import { periodLabel } from '../relative/periods.ts'
import type { ConditionNode, FilterNode, GroupNode } from './filter-tree.ts'
import { choiceOf, operatorChoices } from './operator-choices.ts'
import { useNames } from './use-names.ts'

type Props<Node> = { node: Node; resource: Resource }

/** A part of a filter in words: “Stage is Proposal”. */
export function NodeWords({ node, resource }: Props<FilterNode>) {
  if (node.node === 'condition') return <ConditionWords node={node} resource={resource} />
  if (node.node === 'group') return <GroupWords node={node} resource={resource} />
  const related = filterableNamed(resource, node.relation)
  return (
    <>
      <b className="font-medium">{labels[node.relation] ?? node.relation}</b> where{' '}
      <Joined
        nodes={node.children}
        word="and"
        resource={related?.kind === 'record' ? registry[related.to] : resource}
      />
    </>
  )
}

const before: Readonly<Record<GroupNode['mode'], string>> = { all: '', any: '', 'not-all': 'Not: ', none: 'None of: ' }

function GroupWords({ node: { mode, children }, resource }: Props<GroupNode>) {
  const word = mode === 'any' || mode === 'none' ? 'or' : 'and'
  return (
    <>
      {before[mode]}
      <Joined nodes={children} word={word} resource={resource} />
    </>
  )
}

function Joined({ nodes, word, resource }: { nodes: readonly FilterNode[]; word: string; resource: Resource }) {
  return nodes.map((node, place) => (
    <Fragment key={node.key}>
      {place > 0 && ` ${word} `}
      <NodeWords node={node} resource={resource} />
    </Fragment>
  ))
}

function ConditionWords({ node, resource }: Props<ConditionNode>) {
  const fields = useAllFields()
  const { subject } = node
  if (!subject) return null
  const field =
    subject.kind === 'custom'
      ? fields.find(({ code, entity_type }) => code === subject.code && entity_type === resource.type)
      : undefined
  const native = subject.kind === 'native' ? (labels[subject.name] ?? subject.name) : resource.one
  // A field that was deleted has no name any more.
  const name = subject.kind === 'custom' ? (field?.name ?? subject.code) : native
  const choice = choiceOf(node, operatorChoices(subject, resource, fields))
  return (
    <>
      <b className="font-medium">{name}</b> <span className="text-quiet">{choice?.label ?? String(node.operator)}</span>
      {choice?.value === undefined && (
        <>
          {' '}
          <Value node={node} resource={resource} field={field} />
        </>
      )}
    </>
  )
}

function Value({ node, resource, field }: Props<ConditionNode> & { field: Field | undefined }) {
  const to = relatedTo(node, resource)
  if (to) return <Names to={to} ids={textsIn(node.value)} />
  if (node.operator === '$during') return periodLabel(String(node.value)).toLowerCase()
  const values = Array.isArray(node.value) ? node.value : [node.value]
  return values.map((value) => worded(value, field)).join(node.operator === '$between' ? ' and ' : ', ')
}

function Names({ to, ids }: { to: RelatedType; ids: readonly string[] }) {
  return useNames(to, ids).join(', ')
}

/** The kind of what a condition names by id. */
function relatedTo({ subject }: ConditionNode, resource: Resource): RelatedType | undefined {
  if (subject?.kind === 'custom') return undefined
  if (subject?.kind !== 'native') return resource.type
  const filterable = filterableNamed(resource, subject.name)
  if (filterable?.kind === 'member') return 'users'
  if (filterable?.kind === 'id') return resource.type
  return filterable?.kind === 'record' ? filterable.to : undefined
}

/** An operand as the reader would say it. */
function worded(value: unknown, field: Field | undefined): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') {
    return field?.settings.currency === undefined ? formatNumber(value) : formatMoney(value, field.settings)
  }
  const text = String(value)
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return formatDay(text)
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return formatMoment(text)
  if (field && fieldTypes[field.type].hasOptions) return field.options.find(({ id }) => id === text)?.label ?? text
  return sources[text] ?? text
}
