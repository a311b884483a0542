import type { BillingAnswer, WorkspaceAnswer } from '@kith/contract/app/workspace'
import { DAY_MS } from '@kith/contract/limits'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../audit/write.ts'
import { requirePermission } from '../records/allow.ts'
import { readInput } from '../scope/read-input.ts'
import { inSnapshot, inTransaction, type Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { closeWorkspace } from '../storage/tables/purge.ts'
import { findWorkspaceBySlug, updateWorkspace } from '../storage/tables/workspaces.ts'
import { readName } from './parse-account.ts'
import { accessOf } from './subscription.ts'

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

/** What the billing page of a hosted installation shows. */
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
