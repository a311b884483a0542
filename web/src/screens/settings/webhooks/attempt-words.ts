import { DELIVERY_SECONDS } from '@kith/contract/limits'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'

type Words = { what: string; advice: string }

/** Failures without a response, and what to do about them. */
const failures: Readonly<Record<string, Words>> = {
  timeout: {
    what: `The receiver did not answer within ${DELIVERY_SECONDS} seconds.`,
    advice: 'Store the event, answer with 2xx, and process it afterwards.',
  },
  dns: {
    what: 'The host name was not found.',
    advice: 'Check the host in the URL, and its DNS records.',
  },
  blocked_address: {
    what: 'The host leads to a private or local address. Nothing is sent there.',
    advice: 'Use a public address. The operator of this installation can allow hosts with WEBHOOK_ALLOW_PRIVATE.',
  },
  tls: {
    what: 'The TLS certificate of the receiver was not accepted.',
    advice: 'It must be valid for this host and issued by a public authority. Send the intermediate certificates too.',
  },
  connection: {
    what: 'No connection to the receiver could be made, or it was closed early.',
    advice: 'Check that the receiver runs, and that a firewall does not block it.',
  },
  invalid_response: {
    what: 'The response was not valid HTTP.',
    advice: 'Check that the URL leads to a web server.',
  },
  secret: {
    what: 'The secret could not be decrypted, so nothing was sent.',
    advice: 'Rotate the secret. This happens if the SECRET of the installation was changed.',
  },
}

type Outcome = Pick<DeliveryAttempt, 'status' | 'error' | 'response'>

/** What came of an attempt, and what to do if it failed. */
export function attemptWords({ status, error, response }: Outcome): { what: string; advice?: string } {
  if (error === null) return { what: `The receiver accepted it with ${status}.` }
  if (status === null) return failures[error] ?? { what: `It failed: ${error}.` }
  if (status < 200 || status >= 400) return { what: `The receiver returned ${status}.`, advice: adviceFor(status) }
  if (status < 300) return { what: `It failed after ${status}: ${error}.` }
  const target = response?.headers.location
  return {
    what: `The receiver redirected${target === undefined ? '' : ` to ${target}`} with ${status}. Redirects are not followed.`,
    advice: 'Enter the address that it redirects to as the URL.',
  }
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Let requests in without signing in. Verify their signature instead.'
  if (status === 404 || status === 405) return 'Check the path of the URL, and that the receiver takes POST requests.'
  if (status === 413) return 'Accept larger bodies, or choose the thin payload.'
  if (status === 429) return 'The receiver asks for fewer requests. Lower the number of events in flight.'
  if (status >= 500) return 'Look into the log of the receiver.'
  return 'The body of the response may say why. Any 2xx status counts as success.'
}
