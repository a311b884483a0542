import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type Sent = { text: string; parameters: readonly string[] }

/** The statements of a transaction that was committed, as the server got them. */
export type Transaction = readonly Sent[]

/** A proxy between the service and PostgreSQL that reads what is sent. */
export type WireWatch = { url: string; committed: Transaction[]; stop(): void }

export async function watchWire(databaseUrl: string): Promise<WireWatch> {
  const to = new URL(databaseUrl)
  const committed: Transaction[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(Number(to.port || 5432), to.hostname)
    const read = readerInto(committed)
    client.on('data', read)
    client.pipe(database).pipe(client)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        database.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: url.href, committed, stop }
}

/**
 * Reads the messages of one connection: a type of one byte, the length of the rest, the rest. The first has no type.
 */
function readerInto(committed: Transaction[]): (chunk: Buffer) => void {
  let left = Buffer.alloc(0)
  let isFirst = true
  const texts = new Map<string, string>()
  let open: Sent[] | undefined

  function statement(text: string, parameters: readonly string[]): void {
    if (text === 'begin') open = []
    else if (text === 'commit' || text === 'rollback') {
      if (open && text === 'commit') committed.push(open)
      open = undefined
    } else open?.push({ text, parameters })
  }

  function message(type: string, body: Buffer): void {
    const [name = '', second = ''] = body.toString('utf8').split('\0', 2)
    if (type === 'P') texts.set(name, second)
    // The driver names statements and uses the one portal without a name.
    else if (type === 'B') statement(texts.get(second) ?? '', parametersOf(body, second))
    else if (type === 'Q') statement(name, [])
  }

  return (chunk) => {
    left = Buffer.concat([left, chunk])
    for (;;) {
      const head = isFirst ? 0 : 1
      if (left.length < head + 4) return
      const length = left.readInt32BE(head) + head
      if (left.length < length) return
      if (!isFirst) message(String.fromCharCode(left[0] ?? 0), left.subarray(head + 4, length))
      isFirst = false
      left = left.subarray(length)
    }
  }
}

function parametersOf(body: Buffer, statementName: string): string[] {
  let at = 1 + Buffer.byteLength(statementName) + 1
  const formats = body.readInt16BE(at)
  at += 2 + 2 * formats
  const count = body.readInt16BE(at)
  at += 2
  const parameters: string[] = []
  for (let index = 0; index < count; index++) {
    const length = body.readInt32BE(at)
    at += 4
    parameters.push(length < 0 ? 'null' : body.toString('utf8', at, at + length))
    at += Math.max(0, length)
  }
  return parameters
}
