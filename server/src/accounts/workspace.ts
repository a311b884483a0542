import type { BillingAnswer, WorkspaceAnswer } from '@kith/contract/app/workspace'
import { DAY_MS } from '@kith/contract/limits'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { openScope } from '../fields/definitions.ts'
import { noteWrite } from '../journal/write.ts'
import { requirePermission } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import { factsOfMember, inSnapshot, inTransaction, type Runtime, type Scope } from '../scope/scope.ts'
import type { Source } from '../storage/engines/engine.ts'
import { closeWorkspace } from '../storage/tables/expiry.ts'
import { findFirstOwner, findMember } from '../storage/tables/members.ts'
import { loadLiveCounts } from '../storage/tables/records.ts'
import { findWorkspaceBySlug, updateWorkspace } from '../storage/tables/workspaces.ts'
import { readName } from './parse-account.ts'
import { accessOf } from './subscription.ts'
import { findPerson } from './users.ts'
import { requireWorkspace } from './workspaces.ts'

/** The workspace as a member sees it. */
export async function readWorkspace(scope: Scope, hosted: boolean): Promise<WorkspaceAnswer> {
  const { row, counts } = await inSnapshot(scope, async (inside) => {
    return { row: await findWorkspaceBySlug(inside.db, inside.workspace.slug), counts: await loadLiveCounts(inside) }
  })
  if (!row) throw new Error('The workspace does not exist.')
  const { id, slug, name, created_at, trial_ends_at } = row
  const paused = accessOf(row, scope.now(), hosted) === 'paused'
  return {
    id,
    slug,
    name,
    role: scope.actor.role,
    created_at,
    paused,
    requires_second_factor: row.require_second_factor === 1,
    trial_ends_at: hosted ? trial_ends_at : null,
    counts,
  }
}

/** Renames the workspace. The slug is part of URLs and does not change. */
export function renameWorkspace(scope: Scope, hosted: boolean, input: unknown): Promise<WorkspaceAnswer> {
  requirePermission(scope, 'manage_workspace')
  const name = readInput(input, readName)
  return inTransaction(scope, async (inside) => {
    if (name !== inside.workspace.name) {
      await updateWorkspace(inside.db, inside.workspace.id, { name })
      const entry = { action: 'update', resource: 'workspace', record_id: inside.workspace.id, name } as const
      await noteWrite(inside, [{ ...entry, changes: [['name', inside.workspace.name, name]] }])
    }
    return readWorkspace(inside, hosted)
  })
}

/** The content of the billing page of a hosted installation. */
export async function readBilling(scope: Scope, hosted: boolean): Promise<BillingAnswer> {
  const row = await findWorkspaceBySlug(scope.db, scope.workspace.slug)
  if (!hosted || !row) return refuse({ kind: 'not_found', message: 'This installation has no billing.' })
  const left = Math.ceil((Date.parse(row.trial_ends_at) - scope.now().getTime()) / DAY_MS)
  return {
    status: row.complimentary !== 0 ? 'complimentary' : (row.subscription_status ?? 'trial'),
    trial_days_left: Math.max(0, left),
    paused: accessOf(row, scope.now(), hosted) === 'paused',
    portal_url: null,
  }
}

/** Deletes the workspace with everything in it, after an owner has confirmed its slug. */
export function removeWorkspace(scope: Scope, input: unknown): Promise<void> {
  requirePermission(scope, 'delete_workspace')
  const confirm = readInput(input, (fields) => fields.text('confirm'))
  const { id, slug } = scope.workspace
  if (confirm !== slug) {
    refuseValue('confirm', `Write the slug of the workspace, ${slug}, to confirm the deletion.`)
  }
  return inTransaction(scope, async (inside) => {
    await inside.engine.lock(inside.db, ['workspace slugs', `members ${id}`])
    await closeWorkspace(inside.db, id, inside.now().toISOString())
  })
}

/** The scope of a workspace for the operator, who acts as its owner. */
export async function enterAsOperator(runtime: Runtime, slug: string, source: Source = 'cli'): Promise<Scope> {
  const workspace = await requireWorkspace(runtime.engine.db, slug)
  const owner = await findFirstOwner(runtime.engine.db, workspace.id)
  if (!owner) throw new Error(`The workspace ${slug} has no owner.`)
  return openScope(runtime, factsOfMember(workspace, { user_id: owner.user_id, role: 'owner', source }))
}

/** The scope of a member, by email address or id. The refusal does not reveal whether the workspace exists. */
export async function enterAsMember(runtime: Runtime, slug: string, emailOrId: string): Promise<Scope> {
  const { db } = runtime.engine
  const workspace = await findWorkspaceBySlug(db, slug)
  const user = await findPerson(db, emailOrId)
  const member = workspace && user && (await findMember(db, workspace.id, user.id))
  if (!member) refuse({ kind: 'not_found', message: `${emailOrId} is not a member of a workspace ${slug}.` })
  return openScope(runtime, factsOfMember(workspace, { user_id: member.user_id, role: member.role, source: 'web' }))
}

export function withSource(scope: Scope, source: Source): Scope {
  return { ...scope, actor: { ...scope.actor, source } }
}
