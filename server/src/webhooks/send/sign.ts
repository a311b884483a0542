import { createHmac } from 'node:crypto'
import { keyOf } from '../secrets.ts'

type Signing = {
  /** The id of the event, and the time of the attempt in seconds. */
  id: string
  timestamp: number
  body: string
  /** Those that sign now, the new one first. */
  secrets: readonly string[]
}

/** The `webhook-signature` of Standard Webhooks 1.0.0. */
export function signatureOf({ id, timestamp, body, secrets }: Signing): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`).join(' ')
}
