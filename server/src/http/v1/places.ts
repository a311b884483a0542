import { EXPORTS_PER_TOKEN, EXPORTS_PER_WORKSPACE } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { ScopeFacts } from '../../scope/scope.ts'

const RETRY_AFTER_SECONDS = 5

/** Limits how many responses of one kind are open at a time in this process. */
export type Places = {
  /** Takes a place, or refuses. Returns a function that frees it. */
  enter(facts: ScopeFacts): () => void
}

type PlaceLimits = {
  per_token: number
  per_workspace: number
  /** Says that the holder has too many: `most` are allowed. */
  message(holder: string, most: number): string
}

export function openPlaces({ per_token, per_workspace, message }: PlaceLimits): Places {
  const taken = new Set<{ workspace_id: string; holder: string }>()

  function refuseMore(holder: string, most: number): never {
    refuse({ kind: 'rate_limited', message: message(holder, most), retry_after: RETRY_AFTER_SECONDS })
  }

  return {
    enter({ workspace, actor }) {
      const place = { workspace_id: workspace.id, holder: actor.token_id ?? actor.user_id }
      const inWorkspace = [...taken].filter(({ workspace_id }) => workspace_id === place.workspace_id)
      const own = inWorkspace.filter(({ holder }) => holder === place.holder)
      if (own.length >= per_token) refuseMore('this token', per_token)
      if (inWorkspace.length >= per_workspace) refuseMore('the workspace', per_workspace)
      taken.add(place)
      return () => void taken.delete(place)
    },
  }
}

/** The exports of this process. */
export function openExports(): Places {
  return openPlaces({
    per_token: EXPORTS_PER_TOKEN,
    per_workspace: EXPORTS_PER_WORKSPACE,
    message: (holder, most) =>
      `Too many exports of ${holder} are running: at most ${most} at once are allowed. Wait until one of them ends.`,
  })
}
