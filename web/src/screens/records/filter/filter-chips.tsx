import { fieldTypes } from '@kith/contract/field-types'
import { filterableNamed, relatedResource } from '@kith/contract/filterable-named'
import { periodLabel } from '@kith/contract/relative/periods'
import type { RelatedType, Resource, ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { Fragment } from 'react'
import type { Field } from '../../../api/fields.ts'
import { useResource } from '../../../api/schema.ts'
import { Button } from '../../../components/button.tsx'
import { textsIn } from '../../../fields/values.ts'
import { formatDay, formatMoment } from '../../../format/moments.ts'
import { formatMoney, formatNumber } from '../../../format/numbers.ts'
import { labelOf, sources } from '../../../properties/property.ts'
import { appearanceOf } from '../../../resources.ts'
import type { FilterObject } from '../list-state.ts'
import type { ConditionNode, FilterNode, GroupNode } from './filter-tree.ts'
import { nameIn } from './filterable-of.ts'
import { choiceOf, operatorChoices } from './operator-choices.ts'
import { readFilter } from './read-filter.ts'
import { useNames } from './use-names.ts'
import { writeFilter } from './write-filter.ts'

/** The conditions of a filter, one chip each. A click opens the builder, the cross removes the condition. */
export function FilterChips(props: {
  resource: ResourceName
  filter: FilterObject
  onFilter(filter: FilterObject | undefined): void
  /** Opens the builder. */
  onEdit(): void
}) {
  const { filter, onFilter, onEdit } = props
  const resource = useResource(props.resource)
  const tree = readFilter(filter, resource)
  const parts = tree.mode === 'all' ? tree.children : [tree]
  const without = (place: number) => writeFilter({ ...tree, mode: 'all', children: parts.toSpliced(place, 1) })
  return (
    <ul
      aria-label="Active filters"
      className="flex max-h-24 shrink-0 flex-wrap items-center gap-1.5 overflow-y-auto border-b border-line px-3 py-1.5 md:px-4"
    >
      {parts.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their place
        <li key={place} className="flex h-7 max-w-full min-w-0 items-center rounded-md border border-line text-xs">
          <button
            type="button"
            onClick={onEdit}
            className="h-full min-w-0 truncate rounded-l-md pr-1 pl-2 hover:bg-hover sm:max-w-100"
          >
            <NodeWords node={part} resource={resource} />
          </button>
          <button
            type="button"
            aria-label="Remove this filter"
            onClick={() => onFilter(without(place))}
            className="grid h-full w-6 shrink-0 place-items-center rounded-r-md text-faint hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
      {parts.length > 1 && (
        <li>
          <Button size="small" look="quiet" onClick={() => onFilter(undefined)}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  )
}

type Props<Node> = { node: Node; resource: Resource }

/** A part of a filter in words: “Stage is Proposal”. */
function NodeWords({ node, resource }: Props<FilterNode>) {
  if (node.node === 'condition') return <ConditionWords node={node} resource={resource} />
  if (node.node === 'group') return <GroupWords node={node} resource={resource} />
  return (
    <>
      <b className="font-medium">{labelOf(resource, node.relation)}</b> where{' '}
      <Joined nodes={node.children} word="and" resource={relatedResource(node.relation, resource) ?? resource} />
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
  const { subject } = node
  if (!subject) return null
  const field = subject.kind === 'custom' ? resource.fields.byCode.get(subject.code) : undefined
  const native = subject.kind === 'native' ? labelOf(resource, subject.name) : appearanceOf(resource).one
  // A field that was deleted has no name any more.
  const name = subject.kind === 'custom' ? (field?.name ?? subject.code) : native
  const choice = choiceOf(node, operatorChoices(subject, resource))
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

/** The kind of the records that a condition names by id. */
function relatedTo({ subject }: ConditionNode, resource: Resource): RelatedType | undefined {
  if (subject?.kind === 'itself') return resource.type
  const filterable = filterableNamed(nameIn(subject), resource)
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
