import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import { writeAudit } from '../audit/write.ts'
import { requirePermission } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { endMemberSessions, findMember } from '../storage/tables/members.ts'
import { refuseUnlessOwner, roleOf } from './members.ts'

/**
 * Ends the sessions of a member in this workspace: to open it they must sign in again. Other workspaces stay open,
 * because an admin of one workspace has no rights there. Tokens and connections are revoked separately.
 */
export function endSessionsOf(scope: Scope, memberId: string): Promise<void> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const { id: workspace_id } = inside.workspace
    const member = await findMember(inside.db, workspace_id, parseId(memberId) ?? '')
    if (!member)
      return refuse({
        kind: 'not_found',
        message: `No member with the ID ${excerpt(memberId)} exists in this workspace.`,
      })
    refuseUnlessOwner(inside, roleOf(member.role))
    const { user_id, email } = member
    await endMemberSessions(inside.db, { workspace_id, user_id, at: inside.now().toISOString() })
    const entry = { action: 'end_sessions', resource: 'members', record_id: user_id, name: email } as const
    await writeAudit(inside, [entry])
  })
}
