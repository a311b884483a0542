import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/**
 * A small load balancer: in turn to all that are ready, to the next one if one does not listen, and never twice
 * what was sent.
 */
export type Proxy = { url: string; replace(old: string, fresh: string): void; stop(): Promise<void> }

const ASK_EVERY_MS = 100

export async function startProxy(urls: readonly string[]): Promise<Proxy> {
  const nodes = new Map(urls.map((url) => [url, true]))
  let turn = 0
  const asking = setInterval(async () => {
    for (const url of [...nodes.keys()]) {
      const ready = await fetch(`${url}/readyz`, { headers: { Connection: 'close' } }).then(
        (answer) => answer.ok,
        () => false,
      )
      if (nodes.has(url)) nodes.set(url, ready)
    }
  }, ASK_EVERY_MS)

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray())
    const ready = [...nodes].filter(([, isReady]) => isReady).map(([url]) => url)
    const first = turn++
    for (let tried = 0; tried < ready.length; tried++) {
      const url = ready[(first + tried) % ready.length]
      if (url !== undefined && (await passOn(url, incoming, body, outgoing))) return
    }
    outgoing.writeHead(502, { 'Content-Type': 'application/json' }).end('{"message":"No node answers."}')
  }

  // Clients drop idle connections before this: a request on one that is being closed would fail.
  const server = createServer({ keepAliveTimeout: 120_000 }, forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    replace(old, fresh) {
      nodes.delete(old)
      nodes.set(fresh, true)
    },
    async stop() {
      clearInterval(asking)
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * False where nothing was sent, so that another node may be asked. Each request has a connection of its own, as nginx
 * does it unless told otherwise.
 */
function passOn(
  url: string,
  { method, url: path, headers }: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(
      url + path,
      { method, headers: { ...headers, connection: 'close' }, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.on('end', () => resolve(true))
        // A node that was killed in the middle of its answer.
        answer.on('error', () => {
          outgoing.destroy()
          resolve(true)
        })
      },
    )
    sent.on('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED') return resolve(false)
      if (!outgoing.headersSent)
        outgoing.writeHead(502, { 'Content-Type': 'application/json' }).end('{"message":"The node is gone."}')
      resolve(true)
    })
    sent.end(body)
  })
}
