import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { DAY_MS, NAME_MAX, TRIAL_DAYS } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { type Change, noteWrite } from '../audit/write.ts'
import { createDefaultFields } from '../fields/default-fields.ts'
import { type Runtime, scopeOfMember } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { resourceFields } from '../storage/engines/search-fields.ts'
import { insertMember } from '../storage/tables/members.ts'
import {
  findWorkspaceBySlug,
  insertWorkspace,
  loadSlugsLike,
  loadWorkspaces,
  updateWorkspace,
  type WorkspaceRow,
} from '../storage/tables/workspaces.ts'
import { unverifiedProblem } from './members.ts'
import { parseName } from './parse-account.ts'
import { freeSlug, slugProblem, slugStem } from './slug.ts'
import { findPerson } from './users.ts'

type NewWorkspace = {
  name: string
  /** The email address or the id of a user. */
  owner: string
  slug?: string | undefined
  /** The user whose limit of workspaces it counts for; none if the operator creates it. */
  created_by?: string
  /** Accepts an owner whose address is not verified. */
  unverified?: boolean
}

/** Makes a workspace with its owner, its search fields and the fields that every workspace has. */
export function createWorkspace(runtime: Runtime, input: NewWorkspace): Promise<WorkspaceRow> {
  return runtime.engine.transaction((inside) => createWorkspaceIn(runtime, inside, input))
}

/** The same, inside a transaction. */
export async function createWorkspaceIn(runtime: Runtime, inside: Db, input: NewWorkspace): Promise<WorkspaceRow> {
  const { engine } = runtime
  await engine.lock(inside, ['workspace slugs'])
  const { name, slug, owner } = await checkInput(inside, input)
  const workspace = { ...newWorkspace(name, slug, runtime.now()), created_by: input.created_by ?? null }
  await insertWorkspace(inside, workspace)
  const { id: workspace_id, created_at } = workspace
  await insertMember(inside, { workspace_id, user_id: owner.id, role: 'owner', created_at })
  await engine.search.addFields(
    inside,
    workspace.id,
    resourceFields.map((field) => field.name),
  )
  const asOwner = scopeOfMember(runtime, workspace, { user_id: owner.id, role: 'owner', source: 'web' })
  const scope = { ...asOwner, db: inside, inside: 'transaction' } as const
  await createDefaultFields(scope)
  const change = { kind: 'created', at: workspace.created_at } as const
  await noteWrite(scope, [
    { action: 'create', resource: 'members', record_id: owner.id, change, audited: false },
    { action: 'create', resource: 'workspace', record_id: workspace.id, name },
  ])
  return (await findWorkspaceBySlug(inside, slug)) ?? workspace
}

/** Only for the operator, because the refusal suggests an existing slug. */
export async function requireWorkspace(db: Db, slug: string): Promise<WorkspaceRow> {
  const workspace = await findWorkspaceBySlug(db, slug)
  if (workspace) return workspace
  const slugs = (await loadWorkspaces(db)).map((one) => one.slug)
  return refuse({ kind: 'not_found', message: `No workspace has the slug ${excerpt(slug)}.${suggestion(slug, slugs)}` })
}

/** Pauses a workspace of a hosted installation until it is resumed. Nothing is deleted. */
export function pauseWorkspace(runtime: Runtime, slug: string): Promise<WorkspaceRow> {
  return changeState(runtime, slug, (workspace) => ({
    paused_at: workspace.paused_at ?? runtime.now().toISOString(),
  }))
}

type WorkspaceState = Parameters<typeof updateWorkspace>[2]

/** Changes settings for the operator. Does not check whether members have a second factor that is required. */
export function changeState(
  { engine, now }: Runtime,
  slug: string,
  change: (workspace: WorkspaceRow) => WorkspaceState,
): Promise<WorkspaceRow> {
  return engine.transaction(async (inside) => {
    const workspace = await requireWorkspace(inside, slug)
    const state = change(workspace)
    await updateWorkspace(inside, workspace.id, state)
    const before: Readonly<Record<string, unknown>> = workspace
    const changes = Object.entries(state).map(([key, after]): Change => [key, before[key], after])
    const actor = { user_id: null, source: 'cli', token_id: null } as const
    const entry = { action: 'update', resource: 'workspace', record_id: workspace.id, name: workspace.name } as const
    await noteWrite({ engine, db: inside, now, workspace, actor }, [{ ...entry, changes }])
    return { ...workspace, ...state }
  })
}

async function checkInput(db: Db, input: NewWorkspace) {
  const issues: Issue[] = []
  const report = reportInto(issues)
  const name = parseName(input.name, NAME_MAX, report)
  const owner = await findPerson(db, input.owner)
  if (!owner) report('owner', `No user has the email ${input.owner}. Make the account first (kith user create).`)
  else if (!owner.verified && !input.unverified && parseId(input.owner) === undefined) {
    report('owner', unverifiedProblem(owner.email))
  }
  const stem = input.slug ?? slugStem(name)
  const taken = await loadSlugsLike(db, stem)
  if (input.slug !== undefined) {
    const problem = slugProblem(input.slug) ?? (taken.has(input.slug) ? `The slug ${input.slug} is taken.` : undefined)
    if (problem !== undefined) report('slug', problem)
  }
  refuseIfAny(issues)
  if (owner === undefined) throw new Error('A missing owner was not reported.')
  return { name, owner, slug: input.slug ?? freeSlug(stem, taken) }
}

function newWorkspace(name: string, slug: string, now: Date): Omit<WorkspaceRow, 'created_by'> {
  return {
    id: newId(now.getTime()),
    name,
    slug,
    fields_version: 1,
    trial_ends_at: new Date(now.getTime() + TRIAL_DAYS * DAY_MS).toISOString(),
    subscription_status: null,
    stripe_customer_id: null,
    stripe_subscription_id: null,
    stripe_event_at: null,
    complimentary: 0,
    paused_at: null,
    require_second_factor: 0,
    created_at: now.toISOString(),
  }
}
