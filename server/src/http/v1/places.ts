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
  const places = new Map<string, number>()

  function take(key: string): void {
    places.set(key, (places.get(key) ?? 0) + 1)
  }

  function free(key: string): void {
    const left = (places.get(key) ?? 1) - 1
    if (left > 0) places.set(key, left)
    else places.delete(key)
  }

  function refuseMore(holder: string, most: number): never {
    refuse({ kind: 'rate_limited', message: message(holder, most), retry_after: RETRY_AFTER_SECONDS })
  }

  return {
    enter({ workspace, actor }) {
      const ofToken = `${workspace.id} ${actor.token_id ?? actor.user_id}`
      if ((places.get(ofToken) ?? 0) >= per_token) refuseMore('this token', per_token)
      if ((places.get(workspace.id) ?? 0) >= per_workspace) refuseMore('the workspace', per_workspace)
      const keys = [ofToken, workspace.id]
      keys.forEach(take)
      let entered = true
      return () => {
        if (entered) keys.forEach(free)
        entered = false
      }
    },
  }
}
