import { FILTER_LOGIC_DEPTH_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { type Resource, relationOf } from '@kith/contract/resource'
import { Plus, X } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import { labels } from '../../../properties/property.ts'
import { ConditionLine } from './condition-line.tsx'
import {
  emptyCondition,
  emptyGroup,
  type FilterNode,
  type GroupNode,
  type Mode,
  type RelatedNode,
} from './filter-tree.ts'

/** The position of a line in the tree, and what may be nested below it. */
type Depth = { related: boolean; relationsLeft: number; logicLeft: number }

export const TOP: Depth = { related: false, relationsLeft: 2, logicLeft: FILTER_LOGIC_DEPTH_MAX }

type Props<Node extends FilterNode> = {
  node: Node
  resource: Resource
  depth: Depth
  onChange(node: FilterNode): void
  /** The outermost group cannot be removed. */
  onRemove?: () => void
}

const modes: readonly { value: Mode; label: string }[] = [
  { value: 'all', label: 'All of' },
  { value: 'any', label: 'Any of' },
  { value: 'not-all', label: 'Not all of' },
  { value: 'none', label: 'None of' },
]

/** Conditions that are joined: all, any, or none of them hold. */
export function GroupLines({ node, resource, depth, onChange, onRemove }: Props<GroupNode>) {
  return (
    <div className="grid gap-2">
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
  const to = relationOf(resource, node.relation)?.to
  if (to === undefined || to === 'users') return null
  const inner = { ...depth, related: true, relationsLeft: depth.relationsLeft - 1 }
  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-1.5">
        <span className="flex-1 text-sm">
          <span className="font-medium">{labels[node.relation]}</span> is a {registry[to].one} where all of
        </span>
        <IconButton label={`Remove the conditions on ${labels[node.relation]}`} onClick={onRemove}>
          <X />
        </IconButton>
      </div>
      <Lines node={node} resource={registry[to]} depth={inner} onChange={onChange} />
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
    <div className="ml-1 grid gap-2 border-l border-line pl-3">
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
