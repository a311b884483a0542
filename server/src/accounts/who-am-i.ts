import { type Ability, abilities, type Role } from '@kith/contract/abilities'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { TokenAttributes } from '@kith/contract/token-attributes'
import { presentUser, type ResourceObject } from '../records/present.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import { factsOfMember, type Runtime, type Scope, type Tenancy, tenancyFor } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { loadMembers } from '../storage/query/related.ts'
import { deleteUserRows, findUser, type UserRow, userTable } from '../storage/tables/accounts.ts'
import { findConnection } from '../storage/tables/connections.ts'
import { countOwners, findFirstOwner, loadWorkspacesOf } from '../storage/tables/members.ts'
import { findToken } from '../storage/tables/tokens.ts'
import { findWorkspaceBySlug } from '../storage/tables/workspaces.ts'
import { removeMember } from './members.ts'
import { nameOf } from './oauth/connections.ts'
import { readName } from './parse-account.ts'
import type { SessionHolder } from './sign-in/sessions.ts'
import { noteUserChange, requireUser } from './users.ts'
import { createWorkspaceIn, type WorkspacePolicy, workspaceProblem } from './workspaces.ts'

export type WhoAmI = {
  user: { id: string; name: string; email: string; time_zone: string }
  workspace: { id: string; slug: string; name: string }
  role: Role
  /** The abilities that both the token and the role allow. */
  abilities: Ability[]
}

/** The actor, the workspace and the actor's abilities. Needs no ability. */
export async function whoAmI(scope: Scope): Promise<WhoAmI> {
  const { role, abilities: granted } = scope.actor
  const user = await loadActor(scope)
  const time_zone = (await userTable.find(scope.db, { id: user.id }))?.time_zone ?? 'UTC'
  const { id, slug, name } = scope.workspace
  return {
    user: { id: user.id, name: user.name, email: user.email, time_zone },
    workspace: { id, slug, name },
    role,
    abilities: abilities.filter((ability) => granted.includes(ability) && roleMay(role, ability)),
  }
}

/** The acting user as a resource object. */
export async function readUser(scope: Scope): Promise<ResourceObject> {
  requireAbilities(scope, ['read'])
  return presentUser(await loadActor(scope), new Map())
}

async function loadActor(scope: Scope) {
  const [user] = await loadMembers(scope, [scope.actor.user_id])
  if (!user) throw new Error('The acting user is not a member of the workspace.')
  return user
}

/** Facts about a token that only the process that authenticates and limits requests has. */
export type TokenFacts = Pick<TokenAttributes, 'expires_at' | 'limits'>

/** The access token of the request, or the connection of a connected program. */
export async function readToken(scope: Scope, { expires_at, limits }: TokenFacts): Promise<ResourceObject> {
  requireAbilities(scope, ['read'])
  const { actor, workspace } = scope
  const { token_id, abilities, role } = actor
  if (token_id === null) return refuse({ kind: 'not_found', message: 'A session has no access token.' })
  const attributes: TokenAttributes = {
    name: await findName(scope, token_id),
    abilities,
    expires_at,
    role,
    limits,
    workspace: { id: workspace.id, name: workspace.name, slug: workspace.slug },
  }
  return { id: token_id, type: 'tokens', attributes }
}

async function findName({ db, workspace }: Scope, id: string): Promise<string> {
  const token = await findToken(db, workspace.id, id)
  if (token) return token.name
  const connection = await findConnection(db, workspace.id, id)
  return nameOf(connection?.client_name ?? null)
}

/** Changes the name of a user. */
export function updateProfile(runtime: Runtime, { user_id }: SessionHolder, input: unknown): Promise<UserRow> {
  const name = readInput(input, readName)
  return runtime.engine.transaction(async (inside) => {
    const before = await findUser(inside, user_id)
    if (!before) throw new Error('The user of the session does not exist.')
    if (before.name === name) return before
    await userTable.update(inside, { id: user_id }, { name, updated_at: runtime.now().toISOString() })
    await noteUserChange(runtime, inside, { user: before, field: 'name', before: before.name, after: name })
    return { ...before, name }
  })
}

/** Creates another workspace owned by the user, if the installation allows it. */
export function createOwnWorkspace(
  runtime: Runtime,
  { user_id }: SessionHolder,
  { input, policy }: { input: unknown; policy: WorkspacePolicy },
): Promise<{ id: string; slug: string; name: string }> {
  return runtime.engine.transaction(async (inside) => {
    // Lock, so that concurrent requests count each other's workspaces.
    await runtime.engine.lock(inside, [`workspaces of ${user_id}`])
    const problem = await workspaceProblem(inside, user_id, policy)
    if (problem !== null) refuse({ kind: 'forbidden', message: problem })
    const sent = readInput(input, (fields) => ({ name: fields.text('name'), slug: fields.optionalText('slug') }))
    const made = await createWorkspaceIn(runtime, inside, { ...sent, owner: user_id, created_by: user_id })
    return { id: made.id, slug: made.slug, name: made.name }
  })
}

/**
 * Deletes a user for the operator, with all sessions, tokens and private views. Records stay; shared views go to the
 * owner of the workspace. Refuses to delete the last owner of a workspace.
 */
export function deleteUser(runtime: Runtime, email: string): Promise<UserRow> {
  return runtime.engine.transaction(async (inside) => {
    const user = await requireUser(inside, email)
    const joined = await loadWorkspacesOf(inside, user.id)
    await refuseLastOwner(inside, user, joined)
    // By id: two deletions lock the members of their workspaces in the same order.
    for (const { slug } of joined.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      await removeMember(await enter(runtime, inside, slug), { email: user.email })
    }
    await deleteUserRows(inside, user.id)
    return user
  })
}

async function refuseLastOwner(
  inside: Db,
  { email }: UserRow,
  joined: Awaited<ReturnType<typeof loadWorkspacesOf>>,
): Promise<void> {
  const slugs: string[] = []
  for (const { id, slug, role } of joined) {
    if (role === 'owner' && (await countOwners(inside, id)) === 1) slugs.push(slug)
  }
  if (slugs.length === 0) return
  const message =
    `${email} is the only owner of ${slugs.join(', ')}. Make another member an owner (kith member role), ` +
    'or delete the workspace (kith workspace delete) first.'
  refuse({ kind: 'forbidden', message })
}

/** The scope of the operator, who acts as an owner, in this transaction. */
async function enter(runtime: Runtime, inside: Db, slug: string): Promise<Tenancy> {
  const workspace = await findWorkspaceBySlug(inside, slug)
  const owner = workspace && (await findFirstOwner(inside, workspace.id))
  if (!owner) throw new Error(`The workspace ${slug} has no owner.`)
  const facts = factsOfMember(workspace, { user_id: owner.user_id, role: 'owner', source: 'cli' })
  return { ...tenancyFor(runtime, facts), db: inside, inside: 'transaction' }
}
