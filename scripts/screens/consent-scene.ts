import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scene } from './scenes.ts'

const HOST = 'assistant.localhost'
const redirect_uri = 'https://assistant.example/callback'

/** What a service needs to read the document about the program. */
export const documentSettings = { CLIENT_DOCUMENT_ALLOW_PRIVATE: HOST }

/** A program that a document describes asks for access. */
export const consent: Scene = {
  name: 'consent',
  title: 'Connecting a program',
  group: 'Entrance',
  async show(page, { base }) {
    const { origin } = new URL(base)
    const { client_id, close } = await startProgram()
    const code_challenge = createHash('sha256').update('a verifier that is not used').digest('base64url')
    const pkce = { code_challenge, code_challenge_method: 'S256', state: '12345678' }
    const asked = new URLSearchParams({ response_type: 'code', redirect_uri, client_id, ...pkce })
    await page.goto(`${origin}/api/auth/oauth2/authorize?${asked}`)
    await page.getByRole('heading', { name: 'Let Assistant use Kith?' }).waitFor()
    close()
  },
}

async function startProgram() {
  const server = createServer((_request, response) => {
    const document = { client_id, client_name: 'Assistant', redirect_uris: [redirect_uri] }
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client_id = `http://${HOST}:${port}/client.json`
  return {
    client_id,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
