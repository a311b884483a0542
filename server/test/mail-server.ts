import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** What this file needs of a package without types. */
type MailServer = { listen(port: number, host: string, ready: () => void): Server; close(done: () => void): void }
type Answer = (error?: Error) => void
type Received = AsyncIterable<Buffer>
type Options = {
  authOptional: boolean
  disabledCommands: string[]
  onData(received: Received, session: unknown, answer: Answer): void
}
type Read = {
  subject: string
  from: { address: string }
  to: { address: string }[]
  text: string
  html: string
  messageId: string
  headers: { key: string; value: string }[]
}

const require = createRequire(import.meta.url)
const { SMTPServer }: { SMTPServer: new (options: Options) => MailServer } = require('smtp-server')
const parser: { parse(raw: Buffer): Promise<Read> } = require('postal-mime')

/** A real mail server, which keeps what it accepts. `refusals` are its next answers. */
export async function newMailServer() {
  const mails: Read[] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(received, _session, answer) {
      const parts: Buffer[] = []
      for await (const part of received) parts.push(part)
      const code = refusals.shift()
      if (code !== undefined) return answer(Object.assign(new Error('Not now.'), { responseCode: code }))
      mails.push(await parser.parse(Buffer.concat(parts)))
      answer()
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const listening = server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => new Promise<void>((closed) => server.close(closed)))
  // It listens on a port.
  const { port } = listening.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, mails, refusals }
}
