import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import type { TestWorkspace } from './workspace.ts'

/** The official client, connected with one token. */
export type ToolClient = {
  client: Client
  names(): Promise<string[]>
  /**
   * What the tool answered. It must be what its output schema says, which the client itself checks, and its text the
   * same.
   */
  // Tests look into answers of every shape; what they expect, they assert.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  call(name: string, input?: Record<string, unknown>): Promise<any>
  /** The text with which a call was refused. */
  refused(name: string, input?: Record<string, unknown>): Promise<string>
}

export async function connect(url: string, token: string): Promise<ToolClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  return toolClient(client)
}

/** With a token of the workspace's owner, or of the given user. */
export async function connectTo(workspace: TestWorkspace, ...options: Parameters<TestWorkspace['token']>) {
  const { token, base } = await workspace.token(...options)
  return connect(new URL(base).origin, token)
}

export function toolClient(client: Client): ToolClient {
  return {
    client,
    async names() {
      return (await client.listTools()).tools.map(({ name }) => name)
    },
    async call(name, input) {
      await client.listTools()
      const answer = await client.callTool({ name, arguments: input })
      expect(answer.isError, textOf(answer)).not.toBe(true)
      expect(JSON.parse(textOf(answer))).toEqual(answer.structuredContent)
      return answer.structuredContent
    },
    async refused(name, input) {
      const answer = await client.callTool({ name, arguments: input })
      expect(answer.isError, textOf(answer)).toBe(true)
      return textOf(answer)
    },
  }
}

function textOf({ content }: Awaited<ReturnType<Client['callTool']>>): string {
  // The result is a union of all versions of the protocol; ours has this list.
  const [first] = content as { type: string; text: string }[]
  expect(first?.type).toBe('text')
  return first?.text ?? ''
}
