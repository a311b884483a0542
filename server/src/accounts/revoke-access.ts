import type { Role } from '@kith/contract/abilities'
import { type AuditEntry, noteWrite } from '../journal/write.ts'
import type { Runtime, ScopeFacts, Tenancy } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { deleteAdminLinks } from '../storage/tables/accounts.ts'
import { type RevokedRow, revokeConnectionsOf, revokeTokensOf } from '../storage/tables/connections.ts'
import { endOf, jobTable, lockOpenJobsOf } from '../storage/tables/jobs.ts'
import { type Authorship, deleteInvitationsBy, findCreator, loadWorkspacesOf } from '../storage/tables/members.ts'
import { deleteOtherSessions } from '../storage/tables/sessions.ts'
import { disableWebhooksMadeWith, disableWebhooksOf } from '../storage/tables/webhooks.ts'
import { accessOf } from './subscription.ts'

/** Revokes the tokens and connections of a removed member permanently, even if they are invited again. */
export async function revokeInWorkspace(inside: Tenancy, userId: string): Promise<void> {
  const where = { workspaceId: inside.workspace.id, at: inside.now().toISOString() }
  const revoked = await revokeAll(inside.db, userId, where)
  if (revoked.length > 0) await noteWrite(inside, entriesOf(revoked))
  await disableWebhooksMadeWith(
    inside,
    revoked.map((one) => one.id),
  )
}

/**
 * Ends all access of a user in every workspace, because someone else may have known the old password. Also ends the
 * webhooks, jobs, invitations and password links that this person may have created.
 */
export async function revokeEverywhere(runtime: Runtime, inside: Db, userId: string): Promise<void> {
  await deleteOtherSessions(inside, userId, null)
  const revoked = await revokeAll(inside, userId, { workspaceId: null, at: runtime.now().toISOString() })
  const actor = { user_id: userId, source: 'web', token_id: null } as const
  await deleteAdminLinks(inside, userId)
  // By id: two resets lock the webhooks of their workspaces in the same order.
  for (const { id } of (await loadWorkspacesOf(inside, userId)).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const ending = { engine: runtime.engine, db: inside, now: runtime.now, workspace: { id }, actor }
    const withdrawn = await deleteInvitationsBy(inside, id, userId)
    const entries = [
      ...entriesOf(revoked.filter((one) => one.workspace_id === id)),
      ...withdrawn.map((one): AuditEntry => ({ action: 'delete', resource: 'invitations', record_id: one })),
    ]
    if (entries.length > 0) await noteWrite(ending, entries)
    for (const job of await lockOpenJobsOf(ending, userId)) {
      await jobTable.update(ending, { id: job.id }, { state: 'failed', message: JOB_STOPPED, ...endOf(ending, job) })
    }
    await disableWebhooksOf(ending, { user_id: userId, reason: 'password' })
    await disableWebhooksMadeWith(
      ending,
      revoked.map((one) => one.id),
    )
  }
}

const JOB_STOPPED = 'The password of the member who created the job was reset. What was written stays.'

async function revokeAll(
  inside: Db,
  userId: string,
  where: Parameters<typeof revokeTokensOf>[2],
): Promise<RevokedRow[]> {
  const tokens = await revokeTokensOf(inside, userId, where)
  const connections = await revokeConnectionsOf(inside, userId, where)
  return [...tokens, ...connections]
}

function entriesOf(rows: readonly RevokedRow[]): AuditEntry[] {
  return rows.map(({ id, name }) => ({ action: 'revoke', resource: 'tokens', record_id: id, name }))
}

/**
 * `paused`: the workspace is paused. `creator`: the creator has left, or the workspace is deleted. `token`: the token
 * or connection that created it was revoked or has expired.
 */
type CreatorRights = { workspace: ScopeFacts['workspace']; role: Role } | 'paused' | 'creator' | 'token'

/** The current rights of the creator of a job or webhook. It runs with these rights, and stops when its token ends. */
export async function creatorRights(
  db: Db,
  created: Authorship,
  { hosted, now }: { hosted: boolean; now: Date },
): Promise<CreatorRights> {
  const creator = await findCreator(db, created, now)
  if (!creator || creator.role === null) return 'creator'
  if (creator.has_access === 0) return 'token'
  if (accessOf(creator, now, hosted) === 'paused') return 'paused'
  const { id, number, slug, name, fields_version } = creator
  return { workspace: { id, number, slug, name, fields_version }, role: creator.role }
}
