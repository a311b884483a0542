import type { ResourceName } from '@kith/contract/resource'
import { useEffect } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { type ListState, parseListState, useListState } from '../records/list-state.ts'

type BoardChoice = Pick<ListState, 'card' | 'folded'>

/** What the user has chosen for a board. It is part of the address and is also stored on this device. */
export function useBoardChoice(resource: ResourceName): [BoardChoice, (change: BoardChoice) => void] {
  const [{ card, folded }, change] = useListState()
  const place = usePlace(resource)
  const choose = (changed: BoardChoice) => {
    localStorage.setItem(place, JSON.stringify({ card, folded, ...changed }))
    change(changed)
  }
  return [{ card, folded }, choose]
}

/** An address that says nothing about it is completed with what was chosen last. */
export function useKeptBoardChoice(resource: ResourceName): void {
  const [{ view, card, folded }, change] = useListState()
  const place = usePlace(resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the board is opened
  useEffect(() => {
    if (view !== undefined || card !== undefined || folded !== undefined) return
    const kept = keptAt(place)
    if (kept.card !== undefined || kept.folded !== undefined) change(kept)
  }, [place])
}

function usePlace(resource: ResourceName): string {
  return `kith.board.${useSlug()}.${resource}`
}

function keptAt(place: string): BoardChoice {
  try {
    const { card, folded } = parseListState(JSON.parse(localStorage.getItem(place) ?? '{}'))
    return { ...(card !== undefined && { card }), ...(folded !== undefined && { folded }) }
  } catch {
    return {}
  }
}
