import type { Db } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

const marked = fixed('update sessions set second_factor = ? where user_id = ? and id = ?')

/** Notes with what a session began beside a password. */
export async function replaceSessionFactor(
  inside: Db,
  { user_id, session_id, factor }: { user_id: string; session_id: string; factor: string | null },
): Promise<void> {
  await marked(inside, [factor, user_id, session_id])
}

const cleared = fixed('update sessions set second_factor = null where user_id = ? and second_factor = ?')

/** A factor that is gone opens nothing any more. */
export async function clearSessionFactors(inside: Db, userId: string, factors: readonly string[]): Promise<void> {
  for (const factor of factors) await cleared(inside, [userId, factor])
}

const strong = fixed('select 1 as found from sessions where user_id = ? and second_factor is not null limit 1')

export async function hasStrongSession(db: Db, userId: string): Promise<boolean> {
  return (await strong(db, [userId])).length > 0
}

const ended = fixedOutcome('update members set sessions_ended_at = ? where workspace_id = ? and user_id = ?')

/** Sessions of a member that began before this moment no longer open the workspace. */
export async function endMemberSessions(
  inside: Db,
  { workspace_id, user_id, at }: { workspace_id: string; user_id: string; at: string },
): Promise<void> {
  await ended(inside, [at, workspace_id, user_id])
}

/** Deletes sessions that were last used before a moment. */
export const sweepIdleSessions = sweeping('sessions', 'updated_at <= ?')
