import { useMemo, useState } from 'react'

/** The records that are ticked; they stay ticked while one scrolls. */
export type Selection = {
  /** Whether all records of the list are ticked, those that are not loaded included. */
  matching: boolean
  /** The ids that are ticked, or that are not, if all others are. */
  ids: ReadonlySet<string>
  has(id: string): boolean
  /** How many of so many records of the list are ticked. */
  count(total: number): number
  toggle(id: string, on: boolean): void
  add(ids: readonly string[]): void
  /** Ticks all records that meet the filter. */
  all(): void
  clear(): void
}

type SelectionState = { matching: boolean; ids: ReadonlySet<string> }

const NONE: SelectionState = { matching: false, ids: new Set() }

/** The selection of a list. All records of one filter are not all records of another. */
export function useSelection(filter: object): Selection {
  const shown = JSON.stringify(filter)
  const [kept, setState] = useState<SelectionState & { filter: string }>({ ...NONE, filter: shown })
  const { matching, ids } = kept.matching && kept.filter !== shown ? NONE : kept
  return useMemo(() => {
    const change = (next: SelectionState) => setState({ ...next, filter: shown })
    const changed = (some: readonly string[], on: boolean) => {
      const next = new Set(ids)
      for (const id of some) {
        if (on === matching) next.delete(id)
        else next.add(id)
      }
      change({ matching, ids: next })
    }
    return {
      matching,
      ids,
      has: (id) => ids.has(id) !== matching,
      count: (total) => (matching ? Math.max(0, total - ids.size) : ids.size),
      toggle: (id, on) => changed([id], on),
      add: (some) => changed(some, true),
      all: () => change({ matching: true, ids: new Set() }),
      clear: () => change(NONE),
    }
  }, [matching, ids, shown])
}
