import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Refusal } from '@kith/contract/refusal'
import type { ConnectionError } from 'fastify'
import { type Answer, answerRefusal } from '../../calls/answer.ts'

/** Room for a filter in the address whose operands are as long as they may be, in any script. */
export const HEAD_MAX_BYTES = 64 * 1024

/** How long the client may keep sending: closing at once could lose the answer. */
const LINGER_MS = 1000

/** Node's own list is in a module that also loads an HTTP client, which takes a tenth of the start-up. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  422: 'Unprocessable Entity',
  431: 'Request Header Fields Too Large',
}

/** What Node cannot read as HTTP never becomes a request. It is answered here, in the form of all other errors. */
export function answerMalformed(error: ConnectionError, socket: Socket): void {
  // Later data on the same connection fails again; it was answered already.
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { status, body } = answerTo(error.code)
  const bytes = Buffer.from(body ?? '')
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function answerTo(code: string): Answer {
  switch (code) {
    case 'HPE_INVALID_URL': {
      // Bytes outside ASCII have no one meaning in an address, and a wrong guess would match the wrong records.
      const message = 'The address must be ASCII; percent-encode everything else as UTF-8.'
      return answerRefusal(new Refusal({ kind: 'invalid', issues: [{ path: 'query', message }] }))
    }
    case 'HPE_HEADER_OVERFLOW': {
      const most = `The address and the headers must not be larger than ${HEAD_MAX_BYTES / 1024} KB together.`
      return answerWith(431, `${most} A larger filter fits in the body of a query.`)
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return answerWith(408, 'The request did not arrive in time.')
    default:
      return answerWith(400, 'The request is not valid HTTP.')
  }
}

function answerWith(status: number, message: string): Answer {
  return { status, body: JSON.stringify({ message }) }
}
