import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RETURNS_TO } from './oauth-person.ts'
import { whenFileEnds } from './when-file-ends.ts'

/** A host that serves documents about programs. */
export type DocumentHost = {
  port: number
  /** How often documents were read. */
  reads(): number
  /** A new client ID, with a document that says this and what is missing for a good one. */
  clientId(metadata?: object): string
  /** Changes the document of a client. */
  change(clientId: string, metadata: object): void
  /** A new client ID whose document is sent by hand. */
  answering(answer: (response: ServerResponse) => void): string
}

export async function documentHost(): Promise<DocumentHost> {
  const answers = new Map<string, (response: ServerResponse) => void>()
  let reads = 0
  const server = createServer(({ url = '' }, response) => {
    reads++
    answers.get(url)?.(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenFileEnds(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const document = (client_id: string, metadata: object) => (response: ServerResponse) => {
    const said = { client_id, client_name: 'Assistant', redirect_uris: [RETURNS_TO], ...metadata }
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(said))
  }
  const host: DocumentHost = {
    port,
    reads: () => reads,
    clientId(metadata = {}) {
      const client_id = host.answering(() => {})
      host.change(client_id, metadata)
      return client_id
    },
    change(client_id, metadata) {
      answers.set(new URL(client_id).pathname, document(client_id, metadata))
    },
    answering(answer) {
      const path = `/client-${answers.size + 1}.json`
      answers.set(path, answer)
      return `http://127.0.0.1:${port}${path}`
    },
  }
  return host
}
