import { connect } from 'node:net'

/** An answer as it came over the wire. */
export type RawAnswer = { status: number; headers: ReadonlyMap<string, string>; body: Buffer }

export type RawRequest = { bytes: Buffer; headOnly: boolean }

/** A connection over which requests are sent without waiting for the answers to those before. */
export type Pipe = {
  /** Undefined when the connection ended before the answer. */
  send(request: RawRequest): Promise<RawAnswer | undefined>
  isOpen(): boolean
  close(): void
}

type Waiting = { headOnly: boolean; resolve: (answer: RawAnswer | undefined) => void }

export function openPipe(port: number): Pipe {
  const socket = connect(port, '127.0.0.1')
  const waiting: Waiting[] = []
  let bytes: Buffer = Buffer.alloc(0)
  let open = true
  socket.on('error', () => {})
  socket.on('close', () => {
    open = false
    for (const one of waiting.splice(0)) one.resolve(undefined)
  })
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    while (waiting.length > 0) {
      const read = readAnswer(bytes, waiting[0]?.headOnly ?? false)
      if (!read) return
      bytes = bytes.subarray(read.length)
      if (read.answer.status < 200) continue
      if (read.answer.headers.get('connection') === 'close') open = false
      waiting.shift()?.resolve(read.answer)
    }
  })
  return {
    send({ bytes, headOnly }) {
      return new Promise((resolve) => {
        if (!open) return resolve(undefined)
        waiting.push({ headOnly, resolve })
        socket.write(bytes)
      })
    },
    isOpen: () => open,
    close: () => socket.destroy(),
  }
}

type Read = { answer: RawAnswer; length: number }

function readAnswer(bytes: Buffer, headOnly: boolean): Read | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(first.split(' ')[1])
  const start = end + 4
  if (headOnly || status < 200 || status === 204 || status === 304) {
    return { answer: { status, headers, body: Buffer.alloc(0) }, length: start }
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = readChunks(bytes, start)
    return body && { answer: { status, headers, body: body.body }, length: body.end }
  }
  const length = Number(headers.get('content-length') ?? 0)
  if (bytes.length < start + length) return undefined
  return { answer: { status, headers, body: bytes.subarray(start, start + length) }, length: start + length }
}

function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end: next }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}
