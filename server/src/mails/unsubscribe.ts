import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Unsubscription } from '@kith/contract/app/unsubscription'
import { type Reason, reasons } from '@kith/contract/notifications'
import { refuse } from '@kith/contract/refusal'
import { creatorRights } from '../accounts/revoke-access.ts'
import { openScope } from '../fields/definitions.ts'
import { updateSettings } from '../notifications/inbox.ts'
import { factsOfMember, type Runtime } from '../scope/scope.ts'

/** What the link in a mail ends: mails to a member for some reasons. */
type Unsubscribing = { workspace_id: string; user_id: string; reasons: readonly Reason[] }

/** Works without a session, and as long as the secret of the installation: old mails can be ended, too. */
export function unsubscribeToken(secret: string, { workspace_id, user_id, reasons }: Unsubscribing): string {
  const text = Buffer.from(JSON.stringify([workspace_id, user_id, ...reasons])).toString('base64url')
  return `${text}.${signatureOf(secret, text)}`
}

function signatureOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(`unsubscribe ${text}`).digest('base64url')
}

/** Undefined if the service has not written the token. */
function read(secret: string, token: string): Unsubscribing | undefined {
  const [text = '', signature = ''] = token.split('.')
  const [right, given] = [signatureOf(secret, text), signature].map((one) => Buffer.from(one))
  if (!right || right.length !== given?.length || !timingSafeEqual(right, given)) return undefined
  // The signature shows that unsubscribeToken wrote it.
  const [workspace_id, user_id, ...named] = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[]
  if (workspace_id === undefined || user_id === undefined) return undefined
  return { workspace_id, user_id, reasons: reasons.filter((reason) => named.includes(reason)) }
}

const NOT_OURS =
  'This link does not work. It may be cut off, or from before the secret of the installation was changed. Choose your ' +
  'mails in the settings of the workspace, under Notifications.'

/** What a link ends. A former member gets no mail. */
export async function readUnsubscription(runtime: Runtime, token: string): Promise<Unsubscription> {
  const { ending, member } = await findEnding(runtime, token)
  return { workspace: member?.workspace.name ?? null, reasons: ending.reasons }
}

/** Ends mails for the reasons of a link. */
export async function unsubscribe(runtime: Runtime, token: string): Promise<Unsubscription> {
  const { ending, member } = await findEnding(runtime, token)
  const { user_id, reasons: ended } = ending
  if (member) {
    const scope = await openScope(runtime, factsOfMember(member.workspace, { ...member, user_id, source: 'web' }))
    const body = Object.fromEntries(ended.map((reason) => [reason, 'none']))
    await updateSettings(scope, { body, issues: [] })
  }
  return { workspace: member?.workspace.name ?? null, reasons: ended }
}

async function findEnding({ engine, secret, now }: Runtime, token: string) {
  const ending = read(secret, token) ?? refuse({ kind: 'not_found', message: NOT_OURS })
  const created = { workspace_id: ending.workspace_id, creator_id: ending.user_id, token_id: null }
  // Also in a workspace that is paused.
  const rights = await creatorRights(engine.db, created, { hosted: false, now: now() })
  return { ending, member: typeof rights === 'string' ? undefined : rights }
}
