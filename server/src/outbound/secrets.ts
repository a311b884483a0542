import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../scope/sealed.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret in the form in which it is shown once. */
export function newWebhookSecret(): string {
  return secretOf(randomBytes(SECRET_BYTES))
}

/** The bytes of a secret in the form in which it is shown. */
export function secretOf(bytes: Buffer): string {
  return PREFIX + bytes.toString('base64')
}

type Owner = Pick<WebhookRow, 'workspace_id' | 'id'>

const useOf = ({ workspace_id, id }: Owner) => `webhook ${workspace_id} ${id}`

export function sealSecret(secret: string, owner: Owner, shown: string): string {
  return seal({ secret, use: useOf(owner) }, shown)
}

/** The secrets that sign now, newest first. Empty if SECRET has changed since they were stored. */
export function signingSecrets(
  secret: string,
  webhook: Owner & Pick<WebhookRow, 'secret' | 'old_secret' | 'old_secret_until'>,
  now: Date,
): string[] {
  const { old_secret, old_secret_until } = webhook
  const isKept = old_secret_until !== null && now.toISOString() < old_secret_until
  return [webhook.secret, isKept ? old_secret : null].flatMap((sealed) => {
    const shown = sealed === null ? undefined : unseal({ secret, use: useOf(webhook) }, sealed)
    return shown ?? []
  })
}

/** The bytes of a secret that is shown as text. */
export function keyOf(shown: string): Buffer {
  return Buffer.from(shown.slice(PREFIX.length), 'base64')
}
