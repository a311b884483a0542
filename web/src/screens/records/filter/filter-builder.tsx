import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { type RefObject, useEffect, useState } from 'react'
import { useAllFields } from '../../../api/fields.ts'
import { Button } from '../../../components/button.tsx'
import type { FilterObject } from '../list-state.ts'
import { resolveFilter } from '../relative/resolve-filter.ts'
import { useReader } from '../relative/use-reader.ts'
import { checkFeedFilter, checkFilter } from './check-filter.ts'
import { emptyCondition, type GroupNode } from './filter-tree.ts'
import { GroupLines, TOP } from './group-lines.tsx'
import { readFilter } from './read-filter.ts'
import { RelativeContext } from './relative-context.ts'
import { writeFilter } from './write-filter.ts'

const PAUSE_MS = 250

type Props = {
  resource: ResourceName
  filter: FilterObject | undefined
  onFilter(filter: FilterObject | undefined): void
  /** What to do when the builder is closed before the pause after a change is over. */
  onClose: RefObject<(() => void) | undefined>
  inFeed: boolean
}

/** Builds any filter that the API takes. The list follows as soon as what is built makes sense. */
export function FilterBuilder({ resource, filter, onFilter, onClose, inFeed }: Props) {
  const fields = useAllFields()
  const [tree, setTree] = useState<GroupNode>(() => started(readFilter(filter, registry[resource])))
  const built = writeFilter(tree)
  const reader = useReader(built)
  const context = { resource: registry[resource], fields, reader }
  const problem = inFeed
    ? (checkFilter(built, context) ?? checkFeedFilter(built, registry[resource]))
    : checkFilter(resolveFilter(built, context), context)
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
    setTree(started(readFilter(undefined, registry[resource])))
    onFilter(undefined)
  }
  return (
    <div className="p-3">
      <RelativeContext value={!inFeed}>
        <GroupLines
          node={tree}
          resource={registry[resource]}
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
