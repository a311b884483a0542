import { useState } from 'react'

/** The records that are ticked, by id; they stay ticked while one scrolls. */
export type Selection = {
  ids: ReadonlySet<string>
  toggle(id: string, on: boolean): void
  set(ids: readonly string[]): void
  clear(): void
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    toggle: (id, on) =>
      setIds((before) => {
        const next = new Set(before)
        if (on) next.add(id)
        else next.delete(id)
        return next
      }),
    set: (chosen) => setIds(new Set(chosen)),
    clear: () => setIds(new Set()),
  }
}
