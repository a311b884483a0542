import { reportOtherRecords } from '@kith/contract/changes/feed-filter'
import { relatedResource } from '@kith/contract/filterable-named'
import { FILTER_LOGIC_DEPTH_MAX } from '@kith/contract/limits'
import { parseFilter } from '@kith/contract/parse-filter'
import { resolveFilter } from '@kith/contract/relative/resolve-filter'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { Plus, X } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { useResource } from '../../../api/schema.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Select } from '../../../components/select.tsx'
import { labelOf } from '../../../properties/property.ts'
import { appearanceOf, withArticle } from '../../../resources.ts'
import type { FilterObject } from '../list-state.ts'
import { useReader } from '../relative/use-reader.ts'
import { ConditionLine } from './condition-line.tsx'
import {
  emptyCondition,
  emptyGroup,
  type FilterNode,
  type GroupMode,
  type GroupNode,
  type RelatedNode,
} from './filter-tree.ts'
import { RelativeContext } from './operand.tsx'
import { readFilter } from './read-filter.ts'
import { writeFilter } from './write-filter.ts'

const PAUSE_MS = 250

/** Builds any filter that the API takes. The list follows as soon as the filter is valid. */
export function FilterBuilder(props: {
  resource: ResourceName
  filter: FilterObject | undefined
  onFilter(filter: FilterObject | undefined): void
  /** What to do when the builder is closed before the pause after a change is over. */
  onClose: RefObject<(() => void) | undefined>
  inFeed: boolean
}) {
  const { filter, onFilter, onClose, inFeed } = props
  const resource = useResource(props.resource)
  const [tree, setTree] = useState<GroupNode>(() => started(readFilter(filter, resource)))
  const built = writeFilter(tree)
  const reader = useReader(built)
  const context = { resource, reader }
  const problem = inFeed
    ? (checkFilter(built, resource) ?? checkFeedFilter(built, resource))
    : checkFilter(resolveFilter(built, context), resource)
  const changed = JSON.stringify(built) !== JSON.stringify(filter)
  useEffect(() => {
    if (!changed || problem !== undefined) return
    const send = () => onFilter(built)
    const timer = setTimeout(send, PAUSE_MS)
    onClose.current = send
    return () => {
      clearTimeout(timer)
      onClose.current = undefined
    }
  })
  const clear = () => {
    setTree(started(readFilter(undefined, resource)))
    onFilter(undefined)
  }
  return (
    <div className="p-3">
      <RelativeContext value={!inFeed}>
        <GroupLines
          node={tree}
          resource={resource}
          depth={TOP}
          onChange={(node) => node.node === 'group' && setTree(node)}
        />
      </RelativeContext>
      <div className="mt-3 flex items-center gap-3 border-t border-line pt-3">
        <p aria-live="polite" className="min-w-0 flex-1 text-xs text-danger">
          {problem}
        </p>
        <Button size="small" look="quiet" disabled={built === undefined} onClick={clear}>
          Clear
        </Button>
      </div>
    </div>
  )
}

/** An empty builder begins with an empty line. */
function started(tree: GroupNode): GroupNode {
  return tree.children.length === 0 ? { ...tree, children: [emptyCondition()] } : tree
}

/** The first problem of a filter while it is edited. It uses the same parser as the API. */
function checkFilter(filter: FilterObject | undefined, resource: Resource): string | undefined {
  let problem: string | undefined
  parseFilter(filter, { resource, loose: false }, (_path, message) => {
    problem ??= message
  })
  return problem
}

/** The parts of a filter that lists take and the changes feed does not. */
function checkFeedFilter(filter: FilterObject | undefined, resource: Resource): string | undefined {
  let problem: string | undefined
  reportOtherRecords(filter, resource, (_path, message) => {
    problem ??= message
  })
  return problem
}

/** The position of a line in the tree, and what may be nested below it. */
type NestingLimits = { related: boolean; relationsLeft: number; logicLeft: number }

const TOP: NestingLimits = { related: false, relationsLeft: 2, logicLeft: FILTER_LOGIC_DEPTH_MAX }

type Props<Node extends FilterNode> = {
  node: Node
  resource: Resource
  depth: NestingLimits
  onChange(node: FilterNode): void
  /** The outermost group cannot be removed. */
  onRemove?: () => void
}

const modes: readonly { value: GroupMode; label: string }[] = [
  { value: 'all', label: 'All of' },
  { value: 'any', label: 'Any of' },
  { value: 'not-all', label: 'Not all of' },
  { value: 'none', label: 'None of' },
]

/** Conditions that are joined: all, any, or none of them hold. */
function GroupLines({ node, resource, depth, onChange, onRemove }: Props<GroupNode>) {
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex items-center gap-1.5">
        <div className="w-28 shrink-0">
          <Select
            label="How the conditions are joined"
            value={node.mode}
            onValueChange={(value) => {
              const mode = modes.find((candidate) => candidate.value === value)
              if (mode) onChange({ ...node, mode: mode.value })
            }}
            choices={modes}
          />
        </div>
        <span className="flex-1 text-xs text-faint">{onRemove ? 'these conditions' : 'these conditions hold'}</span>
        {onRemove && (
          <IconButton label="Remove the group" onClick={onRemove}>
            <X />
          </IconButton>
        )}
      </div>
      <Lines node={node} resource={resource} depth={depth} onChange={onChange} />
    </div>
  )
}

/** Conditions on a record at the other end of a relation. */
function RelatedLines({ node, resource, depth, onChange, onRemove }: Props<RelatedNode>) {
  const related = relatedResource(node.relation, resource)
  if (!related) return null
  const label = labelOf(resource, node.relation)
  const inner = { ...depth, related: true, relationsLeft: depth.relationsLeft - 1 }
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 text-sm">
          <span className="font-medium">{label}</span> is {withArticle(appearanceOf(related).one)} where all of
        </span>
        <IconButton label={`Remove the conditions on ${label}`} onClick={onRemove}>
          <X />
        </IconButton>
      </div>
      <Lines node={node} resource={related} depth={inner} onChange={onChange} />
    </div>
  )
}

function Lines({ node, resource, depth, onChange }: Props<GroupNode | RelatedNode>) {
  const { children } = node
  const replace = (place: number, child: FilterNode | undefined) =>
    onChange({ ...node, children: child ? children.with(place, child) : children.toSpliced(place, 1) })
  const add = (child: FilterNode) => onChange({ ...node, children: [...children, child] })
  const inner = { ...depth, logicLeft: depth.logicLeft - 1 }
  return (
    <div className="ml-1 grid grid-cols-1 gap-2 border-l border-line pl-3">
      {children.map((child, place) => {
        const change = (next: FilterNode) => replace(place, next)
        const remove = () => replace(place, undefined)
        if (child.node === 'condition') {
          return (
            <ConditionLine
              key={child.key}
              condition={child}
              resource={resource}
              related={depth.related}
              relationsLeft={depth.relationsLeft}
              onChange={change}
              onRemove={remove}
            />
          )
        }
        if (child.node === 'group') {
          return (
            <GroupLines
              key={child.key}
              node={child}
              resource={resource}
              depth={inner}
              onChange={change}
              onRemove={remove}
            />
          )
        }
        return (
          <RelatedLines
            key={child.key}
            node={child}
            resource={resource}
            depth={depth}
            onChange={change}
            onRemove={remove}
          />
        )
      })}
      <div className="flex gap-1">
        <Button size="small" look="quiet" onClick={() => add(emptyCondition())}>
          <Plus aria-hidden />
          Condition
        </Button>
        {depth.logicLeft > 1 && (
          <Button size="small" look="quiet" onClick={() => add(emptyGroup('any'))}>
            <Plus aria-hidden />
            Group
          </Button>
        )}
      </div>
    </div>
  )
}
