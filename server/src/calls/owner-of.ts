import type { Call } from './call.ts'
import type { Owner } from './fair-queue.ts'

/** Whose call it is. What belongs to no workspace belongs to its user, or to all who are not signed in together. */
export function ownerOf(call: Call): Owner {
  if (!('facts' in call)) {
    const user = `user ${call.asker?.user_id ?? ''}`
    return { workspace: user, actor: user }
  }
  const { workspace, actor } = call.facts
  return { workspace: workspace.id, actor: `${workspace.id} ${actor.token_id ?? actor.user_id}` }
}
