import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** One answer after the other; the last one is repeated. */
export type Scripted =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Ends the connection without a word. */
  | 'hang up'
  /** Says nothing until the caller is gone. */
  | 'silence'

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/** A service on a free port that answers as it is told and remembers what it was asked. */
export async function localService(...script: Scripted[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const scripted = script[Math.min(received.length, script.length - 1)] ?? 'hang up'
    received.push(await read(request))
    answer(response, scripted)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/api`, received }
}

async function read(request: IncomingMessage): Promise<Received> {
  const { method = '', url = '', headers } = request
  return { method, path: url, headers, body: await text(request) }
}

function answer(response: ServerResponse, scripted: Scripted): void {
  if (scripted === 'silence') return
  if (scripted === 'hang up') {
    response.destroy()
    return
  }
  const { status, headers, body } = scripted
  response.writeHead(status, headers)
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
}
