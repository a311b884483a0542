import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Reason, reasons } from '@kith/contract/notifications'

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
export function readUnsubscribing(secret: string, token: string): Unsubscribing | undefined {
  const [text = '', signature = ''] = token.split('.')
  const [right, given] = [signatureOf(secret, text), signature].map((one) => Buffer.from(one))
  if (!right || right.length !== given?.length || !timingSafeEqual(right, given)) return undefined
  // The signature shows that unsubscribeToken wrote it.
  const [workspace_id, user_id, ...named] = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[]
  if (workspace_id === undefined || user_id === undefined) return undefined
  return { workspace_id, user_id, reasons: reasons.filter((reason) => named.includes(reason)) }
}
