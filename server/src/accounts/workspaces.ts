import { createHmac } from 'node:crypto'
import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { DAY_MS, NAME_MAX, TRIAL_DAYS } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { generalSchema } from '@kith/contract/registry'
import type { Config } from '../config.ts'
import { createDefaultFields } from '../fields/definitions.ts'
import { type Change, noteWrite } from '../journal/write.ts'
import { readInput } from '../scope/read-input.ts'
import { factsOfMember, type Runtime, tenancyFor } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { resourceFields } from '../storage/engines/search-fields.ts'
import { hasUser, type UserRow } from '../storage/tables/accounts.ts'
import { insertMember, loadWorkspacesOf } from '../storage/tables/members.ts'
import { type StoredView, viewTable } from '../storage/tables/views.ts'
import {
  countWorkspacesBy,
  findWorkspaceBySlug,
  insertWorkspace,
  loadSlugsLike,
  loadWorkspaces,
  updateWorkspace,
  type WorkspaceRow,
} from '../storage/tables/workspaces.ts'
import { unverifiedProblem } from './members.ts'
import { parseName } from './parse-account.ts'
import { isSame } from './tokens.ts'
import { findPerson, insertPrepared, prepareUser } from './users.ts'

type NewWorkspace = {
  name: string
  /** The email address or the id of a user. */
  owner: string
  slug?: string | undefined
  /** The user whose limit of workspaces applies; none if the operator creates it. */
  created_by?: string
  /** Accepts an owner whose address is not verified. */
  unverified?: boolean
}

/** Creates a workspace with its owner, its search fields, its built-in fields and a view. */
export function createWorkspace(runtime: Runtime, input: NewWorkspace): Promise<WorkspaceRow> {
  return runtime.engine.transaction((inside) => createWorkspaceIn(runtime, inside, input))
}

/** Like `createWorkspace`, inside a transaction. */
export async function createWorkspaceIn(runtime: Runtime, inside: Db, input: NewWorkspace): Promise<WorkspaceRow> {
  const { engine } = runtime
  await engine.lock(inside, ['workspace slugs'])
  const { name, slug, owner } = await checkInput(inside, input)
  const row = { ...newWorkspace(name, slug, runtime.now()), created_by: input.created_by ?? null }
  const workspace = await insertWorkspace(engine, inside, row)
  const { id: workspace_id, created_at } = workspace
  await insertMember(inside, { workspace_id, user_id: owner.id, role: 'owner', created_at })
  await engine.search.addFields(inside, workspace.number, resourceFields(generalSchema))
  const asOwner = factsOfMember(workspace, { user_id: owner.id, role: 'owner', source: 'web' })
  const scope = { ...tenancyFor(runtime, asOwner), db: inside, inside: 'transaction' } as const
  await createDefaultFields(scope)
  await viewTable.insert(scope, startingView(workspace, owner))
  const change = { kind: 'created', at: workspace.created_at } as const
  await noteWrite(scope, [
    { action: 'create', resource: 'members', record_id: owner.id, change, audited: false },
    { action: 'create', resource: 'workspace', record_id: workspace.id, name },
  ])
  return (await findWorkspaceBySlug(inside, slug)) ?? workspace
}

/** A shared view that every workspace starts with. It can be changed and deleted as any other. */
function startingView({ id: workspace_id, created_at }: WorkspaceRow, owner: { id: string }): StoredView {
  const filter = { custom_fields: { owner: { $in: ['me'] } } }
  return {
    id: newId(Date.parse(created_at)),
    workspace_id,
    owner_id: owner.id,
    resource: 'opportunities',
    name: 'My opportunities',
    shared: 1,
    state: JSON.stringify({ filter }),
    position: 1,
    created_at,
    updated_at: created_at,
  }
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

/** Changes settings for the operator. Does not check whether members have a required second factor. */
export function changeState(
  { engine, now }: Runtime,
  slug: string,
  change: (workspace: WorkspaceRow) => Parameters<typeof updateWorkspace>[2],
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
  if (!owner) report('owner', `No user has the email ${input.owner}. Create the user first (kith user create).`)
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

function newWorkspace(name: string, slug: string, now: Date): Omit<WorkspaceRow, 'number' | 'created_by'> {
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

/** Who may create workspaces in the application, and how many per account (0: no limit). */
export type WorkspacePolicy = { creators: Config['WORKSPACE_CREATION']; per_account: number }

/** Why a user cannot create another workspace; null when they can. */
export async function workspaceProblem(
  db: Db,
  userId: string,
  { creators, per_account }: WorkspacePolicy,
): Promise<string | null> {
  if (creators === 'operator')
    return 'Only the operator of this installation can create workspaces. Ask the operator for one.'
  if (creators === 'admins' && !(await isAdminSomewhere(db, userId))) {
    return (
      'Only owners and admins of a workspace can create another one here. Ask one of them, or the operator ' +
      'of this installation.'
    )
  }
  if (per_account === 0 || (await countWorkspacesBy(db, userId)) < per_account) return null
  const made = per_account === 1 ? 'a workspace' : `${per_account} workspaces`
  return (
    `You have created ${made} already, and an account can create no more here. Delete one that is not ` +
    'needed, or ask the operator of this installation.'
  )
}

async function isAdminSomewhere(db: Db, userId: string): Promise<boolean> {
  return (await loadWorkspacesOf(db, userId)).some(({ role }) => role === 'owner' || role === 'admin')
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,49}$/

const STEM_MAX = 44

/** Reserved for paths of the application. */
const RESERVED = new Set(
  `about account accounts admin api app assets auth billing blog contact dashboard docs files guide health healthz
  forgot-password help home internal invitation invitations invite invites join kith legal login logout mail mcp
  metrics new new-workspace null oauth openapi ping pricing privacy private profile public readyz register reset
  reset-password robots root search security settings set-up setup sign-in sign-out sign-up signin
  signout signup sitemap static status support system terms undefined unsubscribe user users v1 v2 v3 webhook webhooks
  well-known workspace workspaces www`.split(/\s+/),
)

/** The problem with a chosen slug, or undefined. */
export function slugProblem(slug: string): string | undefined {
  if (!SLUG.test(slug)) {
    return 'The slug must have 2 to 50 characters: small letters, digits and dashes, not beginning with a dash.'
  }
  return RESERVED.has(slug) ? `The slug ${slug} is reserved.` : undefined
}

/** Derives a slug from a name. Only Latin letters and digits are kept. */
export function slugStem(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const stem = plain.replace(/^-+/, '').slice(0, STEM_MAX).replace(/-+$/, '')
  return stem.length < 2 ? 'team' : stem
}

/** The stem itself, or the first of stem-2, stem-3 … that is neither taken nor reserved. */
export function freeSlug(stem: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? stem : `${stem}-${number}`
    if (!taken.has(slug) && !RESERVED.has(slug)) return slug
  }
}

/** The token of the set-up link that the service prints. Derived from the secret, so every node prints the same. */
export function setUpToken(secret: string): string {
  return createHmac('sha256', secret).update('set-up').digest('base64url')
}

/** Creates the first account and its workspace with the printed link. Works once. */
export async function setUp(
  runtime: Runtime,
  input: unknown,
): Promise<{ user: UserRow; workspace: WorkspaceRow; sample: boolean }> {
  const sent = readInput(input, (fields) => ({
    token: fields.text('token'),
    name: fields.text('name', NAME_MAX),
    email: fields.text('email'),
    password: fields.text('password'),
    workspace_name: fields.text('workspace_name', NAME_MAX),
    sample: fields.flag('sample', false),
  }))
  if (!isSame(sent.token, setUpToken(runtime.secret))) {
    const message = 'This link is not the one that the service printed. Use the newest one in its log.'
    refuse({ kind: 'forbidden', message })
  }
  if (await hasUser(runtime.engine.db)) refuseAgain()
  // Only the operator can read the log with the link.
  const prepared = await prepareUser(runtime, { ...sent, verified: true })
  return runtime.engine.transaction(async (inside) => {
    await runtime.engine.lock(inside, ['set-up'])
    if (await hasUser(inside)) refuseAgain()
    const user = await insertPrepared(runtime, inside, prepared)
    const workspace = await createWorkspaceIn(runtime, inside, {
      name: sent.workspace_name,
      owner: user.id,
      created_by: user.id,
    })
    return { user, workspace, sample: sent.sample }
  })
}

function refuseAgain(): never {
  return refuse({ kind: 'forbidden', message: 'This installation is set up already. Sign in instead.' })
}
