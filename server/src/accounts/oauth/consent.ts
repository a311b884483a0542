import { type Ability, abilities } from '@kith/contract/abilities'
import type { ConsentRequest } from '@kith/contract/app/connections'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { noteWrite } from '../../journal/write.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import { type ClientRow, findClient, findGranted, putConnection } from '../../storage/tables/connections.ts'
import { findMember } from '../../storage/tables/members.ts'
import { findWorkspaceBySlug } from '../../storage/tables/workspaces.ts'
import { abilitiesOf, parseAbilities } from '../tokens.ts'
import { nameOf } from './connections.ts'
import { chosenConnection, OFFLINE } from './plugin.ts'

const QUERY_MAX = 8192

/** The client and the abilities that it requests, from the signed query of the page. */
export async function readConsentRequest({ engine }: Runtime, query: string): Promise<ConsentRequest> {
  const requested = parseQuery(query)
  const client = await requireClient(engine.db, requested.client_id)
  const { name, uri, client_id } = client
  return {
    client: { id: client_id, name: nameOf(name), uri, returns_to: requested.redirect_uri },
    abilities: requested.abilities,
    preselected: requested.preselected,
  }
}

/** Passes the decision to better-auth and returns the address for the redirect. */
export type Settle = (answer: { accept: boolean; scope?: string; oauth_query: string }) => Promise<string>

/** The user who decides. `admit` throws if their session may not open the workspace. */
type Consenter = { user_id: string; admit(slug: string): Promise<void>; settle: Settle }

/** Connects a program to one workspace with some abilities, or refuses it. */
export async function settleConsent(runtime: Runtime, consenter: Consenter, input: unknown): Promise<string> {
  const { accept, ...consent } = readInput(input, (fields) => ({
    accept: fields.flag('accept', false),
    query: fields.text('query', QUERY_MAX),
    workspace: fields.optionalText('workspace') ?? '',
    abilities: fields.raw('abilities'),
  }))
  if (!accept) return consenter.settle({ accept: false, oauth_query: consent.query })
  await consenter.admit(consent.workspace)
  return connect(runtime, consenter, consent)
}

async function connect(
  runtime: Runtime,
  { user_id, settle }: Consenter,
  consent: { query: string; workspace: string; abilities: unknown },
): Promise<string> {
  const { db } = runtime.engine
  const requested = parseQuery(consent.query)
  const client = await requireClient(db, requested.client_id)
  const issues: Issue[] = []
  const report = reportInto(issues)
  const workspace_id = await parseWorkspace(db, { user_id, slug: consent.workspace }, report)
  const granted = parseGranted(consent.abilities, requested.abilities, report)
  refuseIfAny(issues)
  if (workspace_id === undefined) throw new Error('A problem of the input was not reported.')
  const holder = { workspace_id, user_id, client_id: requested.client_id }
  const now = runtime.now()
  const before = await findGranted(db, holder)
  const id = before?.id ?? newId(now.getTime())
  const scope = [...granted, OFFLINE].join(' ')
  const url = await chosenConnection.run(id, () => settle({ accept: true, scope, oauth_query: consent.query }))
  // The browser does not have the code yet, so the connection exists before the code is used.
  const rest = { last_used_at: null, revoked_at: null, created_at: now.toISOString() }
  await putConnection(runtime.engine.single, { id, ...holder, abilities: granted.join(','), ...rest })
  const actor = { user_id, source: 'web', token_id: null } as const
  const auditing = { ...runtime, db: runtime.engine.single, workspace: { id: workspace_id }, actor }
  await noteWrite(auditing, [
    {
      action: before ? 'update' : 'create',
      resource: 'tokens',
      record_id: id,
      name: nameOf(client.name),
      changes: [['abilities', before ? abilitiesOf(before.abilities) : null, granted]],
    },
  ])
  return url
}

function parseQuery(query: string): {
  client_id: string
  redirect_uri: string
  abilities: Ability[]
  preselected: Ability[]
} {
  const parameters = new URLSearchParams(query)
  const scopes = parameters.get('scope')?.split(' ') ?? []
  const requested = abilities.filter((ability) => scopes.includes(ability))
  return {
    client_id: parameters.get('client_id') ?? '',
    redirect_uri: parameters.get('redirect_uri') ?? '',
    abilities: requested,
    // See withKnownScopes.
    preselected: scopes[0] === OFFLINE ? ['read'] : requested,
  }
}

async function requireClient(db: Db, clientId: string): Promise<ClientRow> {
  const client = await findClient(db, clientId)
  if (client) return client
  return refuse({
    kind: 'not_found',
    message: 'The program that asks for access is not known here. Start again in the program.',
  })
}

/** The refusal does not reveal whether the workspace exists. */
async function parseWorkspace(
  db: Db,
  { user_id, slug }: { user_id: string; slug: string },
  report: Report,
): Promise<string | undefined> {
  const workspace = await findWorkspaceBySlug(db, slug)
  const member = workspace && (await findMember(db, workspace.id, user_id))
  if (member) return workspace.id
  report('workspace', `You are not a member of a workspace ${slug.slice(0, 100)}.`)
  return undefined
}

function parseGranted(raw: unknown, requested: readonly Ability[], report: Report): Ability[] {
  const granted = parseAbilities(raw, report)
  const more = granted.filter((ability) => !requested.includes(ability))
  if (more.length > 0)
    report('abilities', `The program did not ask for ${more.join(', ')}. It asked for ${requested.join(', ')}.`)
  return granted
}
