import { readFileSync } from 'node:fs'
import { BODY_MAX_BYTES } from '@kith/contract/limits'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { pauseWorkspace } from '../../../src/accounts/workspaces.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { type PlainRequest, plainRequest } from '../../plain-http.ts'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** One message, sent by hand. */
function post(url: string, token: string | undefined, message: unknown, rest: PlainRequest = {}) {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const headers = { 'Content-Type': 'application/json', ...authorization, ...rest.headers }
  return plainRequest(`${url}/mcp`, { method: 'POST', body, ...rest, headers })
}

function calling(name: string, input: object = {}) {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: input } }
}

describe('the endpoint', () => {
  it('answers one message with JSON, and keeps nothing in between', async () => {
    const { url } = inject('service')
    const { api } = await newWorkspace()
    const answer = await post(url, api.token, ping)
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([
      200,
      'application/json',
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    const slash = await plainRequest(`${url}/mcp/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${api.token}` },
      body: JSON.stringify(ping),
    })
    expect(slash.status).toBe(200)
    const called = await post(url, api.token, calling('whoami'))
    expect(called.body.result.structuredContent).toHaveProperty('user')
    expect(called.headers.get('x-request-id')).not.toBeNull()
  })

  it('answers the message that docs/integrate/mcp.md sends by hand', async () => {
    const page = readFileSync(new URL('../../../../docs/integrate/mcp.md', import.meta.url), 'utf8')
    const [, message = ''] = /-d '(\{"jsonrpc".*\})'/.exec(page) ?? []
    const { api } = await newWorkspace()
    const answer = await post(inject('service').url, api.token, message)
    expect(answer.body.result.structuredContent.abilities).toEqual(['read', 'create', 'update', 'delete'])
  })

  it('takes notifications without an answer', async () => {
    const { api } = await newWorkspace()
    const answer = await post(inject('service').url, api.token, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([answer.status, answer.text]).toEqual([202, ''])
  })

  it('an unauthenticated call is 401, with the address of the authorization server', async () => {
    const { url } = inject('service')
    const metadata = `resource_metadata="http://localhost:${new URL(url).port}/.well-known/oauth-protected-resource/mcp"`
    const bare = await post(url, undefined, ping)
    const scope = 'scope="read create update delete"'
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, `Bearer ${metadata}, ${scope}`])
    expect(bare.body).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Unauthenticated.' } })
    const workspace = await newWorkspace()
    const token = await workspace.token()
    await workspace.revoke(token.id)
    for (const wrong of ['kith_wrong', token.token, `kitho_${token.token.slice(5)}`]) {
      const answer = await post(url, wrong, ping)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer ${metadata}, ${scope}, error="invalid_token"`,
      ])
    }
  })

  it('other methods are 405: there is no stream and no session', async () => {
    const { api } = await newWorkspace()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const headers = { Authorization: `Bearer ${api.token}`, Accept: 'text/event-stream' }
      const answer = await plainRequest(`${inject('service').url}/mcp`, { method, headers })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('refuses pages of other sites, so that no name can be made to point here', async () => {
    const { url } = inject('service')
    const { api } = await newWorkspace()
    const own = `http://localhost:${new URL(url).port}`
    expect((await post(url, api.token, ping, { headers: { Origin: own } })).status).toBe(200)
    for (const origin of ['https://evil.example.com', `http://evil.example.com:${new URL(url).port}`, 'null']) {
      const answer = await post(url, api.token, ping, { headers: { Origin: origin, Host: new URL(url).host } })
      expect([answer.status, answer.body.error.message]).toEqual([
        403,
        `Pages of ${origin} may not call this MCP server.`,
      ])
    }
    expect((await post(url, undefined, ping, { headers: { Origin: 'https://evil.example.com' } })).status).toBe(403)
  })

  it('a message of revision 2026-07-28 needs no handshake, and subscribes to nothing', async () => {
    const { url } = inject('service')
    const { api } = await newWorkspace()
    const revision = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const send = (method: string, params: object, name = '') =>
      post(
        url,
        api.token,
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
        {
          headers: {
            'Mcp-Protocol-Version': revision,
            'Mcp-Method': method,
            ...(name === '' ? {} : { 'Mcp-Name': name }),
          },
        },
      )
    const called = await send('tools/call', { name: 'whoami', arguments: {} }, 'whoami')
    expect([called.status, called.body.result.resultType]).toEqual([200, 'complete'])
    const other = await send('tools/call', { name: 'whoami', arguments: {} }, 'search')
    expect([other.status, other.body.error.code]).toEqual([400, -32020])
    const missing = await send('resources/read', { uri: 'kith://nothing' }, 'kith://nothing')
    expect(missing.body.error).toMatchObject({ code: -32602, data: { uri: 'kith://nothing' } })
    const listening = await send('subscriptions/listen', { notifications: { toolsListChanged: true } })
    expect([listening.status, listening.body]).toMatchObject([404, { id: 1, error: { code: -32601 } }])
  })

  it('what is no message is refused by the protocol', async () => {
    const { url } = inject('service')
    const { api } = await newWorkspace()
    for (const [message, code] of [
      ['{"jsonrpc": ', -32700],
      ['[]', -32600],
      ['"ping"', -32600],
      [{ id: 1, method: 'ping' }, -32600],
    ] as const) {
      const answer = await post(url, api.token, message)
      expect([answer.status, answer.body.error.code], JSON.stringify(message)).toEqual([400, code])
    }
    for (const [method, params, path] of [
      ['tools/call', { name: 5 }, 'params.name'],
      ['resources/read', {}, 'params.uri'],
      ['prompts/get', { name: 'overview', arguments: { focus: 5 } }, 'params.arguments.focus'],
    ] as const) {
      const answer = await post(url, api.token, { jsonrpc: '2.0', id: 1, method, params })
      expect(answer.body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32602, message: expect.stringContaining(`${path}: `) },
      })
    }
    const unknown = await post(url, api.token, { jsonrpc: '2.0', id: 1, method: 'tools/destroy' })
    expect(unknown.body.error.code).toBe(-32601)
    for (const [method, params, code, text] of [
      ['tools/call', { name: 'list_record' }, -32602, 'There is no tool list_record. Tools: whoami, '],
      ['prompts/get', { name: 'overvew' }, -32602, 'There is no prompt overvew.'],
      ['resources/read', { uri: 'kith://schema/firms' }, -32602, 'There is no resource kith://schema/firms.'],
    ] as const) {
      const { body } = await post(url, api.token, { jsonrpc: '2.0', id: 1, method, params })
      expect(body.error, method).toMatchObject({ code, message: expect.stringContaining(text) })
    }
    const version = await post(url, api.token, ping, { headers: { 'Mcp-Protocol-Version': '1999-01-01' } })
    expect(version.status).toBe(400)
    const batch = await post(url, api.token, [ping, { ...ping, id: 2 }])
    expect([batch.status, batch.body.error.message]).toEqual([400, 'Send one message with each request.'])
  })

  it('a body over 1 MiB is 413', async () => {
    const { api } = await newWorkspace()
    const message = calling('create_record', { resource: 'notes', attributes: { title: 'x'.repeat(BODY_MAX_BYTES) } })
    expect((await post(inject('service').url, api.token, message)).status).toBe(413)
  })

  it('a member who left is refused', async () => {
    const workspace = await newWorkspace()
    const user = await workspace.member('member')
    const { token } = await workspace.token({ user })
    await workspace.remove(user)
    const answer = await post(inject('service').url, token, ping)
    expect([answer.status, answer.body.error.message]).toEqual([
      403,
      "This access token's user is no longer a member of its workspace.",
    ])
  })

  it('many calls at once each get their own answer', async () => {
    const workspace = await newWorkspace()
    const { client } = await connectTo(workspace)
    const ids = await Promise.all(
      ['Ada', 'Bob', 'Cleo'].map(async (name) => (await made(workspace.api, 'people', { name })).id),
    )
    const answers = await Promise.all(
      [...ids, ...ids, ...ids].map(async (id) => {
        const answer = await client.callTool({ name: 'get_record', arguments: { resource: 'people', id } })
        return [id, JSON.stringify(answer.structuredContent).includes(id)]
      }),
    )
    expect(answers.every(([, found]) => found)).toBe(true)
  })
})

describe('isolation of workspaces', () => {
  it('no tool sees, reaches, counts, matches or changes anything of another workspace', async () => {
    const [mine, theirs] = [await newWorkspace(), await newWorkspace()]
    const { call, refused } = await connectTo(mine)
    const { id } = await made(theirs.api, 'companies', { name: 'Secret', custom_fields: { domains: 'secret.com' } })
    const before = (await theirs.api.get(`/companies/${id}`)).body
    const resource = 'companies'
    expect((await call('search', { query: 'Secret' })).results).toEqual([])
    expect((await call('list_records', { resource })).total).toBe(0)
    expect((await call('summarize', { resource, measure: 'count' })).data[0].count).toBe(0)
    expect((await call('find_duplicates', { resource })).total).toBe(0)
    for (const [name, input] of [
      ['get_record', { resource, id }],
      ['fetch', { id: `companies/${id}` }],
      ['update_record', { resource, id, attributes: { name: 'Mine' } }],
      ['delete_record', { resource, id }],
      ['restore_record', { resource, id }],
    ] as const) {
      expect(await refused(name, input), name).toContain(`No company with the ID ${id} exists in this workspace.`)
    }
    const own = await made(mine.api, 'companies', { name: 'Mine' })
    expect(await refused('merge_records', { resource, winner_id: own.id, loser_ids: [id] })).toContain(
      '- loser_ids.0: ',
    )
    const person = { resource: 'people', attributes: { name: 'Ada', company_id: id } }
    expect(await refused('create_record', person)).toContain('- attributes.company_id: ')
    const match = { field: 'domains', value: 'secret.com' }
    expect((await call('upsert_record', { resource, match, attributes: { name: 'Mine' } })).created).toBe(true)
    expect((await theirs.api.get(`/companies/${id}`)).body).toEqual(before)
  })
})

describe('limits and subscription', () => {
  let own: OwnService

  beforeAll(async () => {
    own = await ownService({ HOSTED: 'true', RATE_LIMIT_READS: '4', RATE_LIMIT_WRITES: '1' })
  })

  afterAll(() => own.stop())

  it('calls spend from the same buckets as REST, reads and writes by what the tool does', async () => {
    const workspace = await own.workspace()
    const { token, get } = await workspace.token()
    const left = (answer: Awaited<ReturnType<typeof post>>) => [
      answer.status,
      answer.headers.get('x-ratelimit-limit'),
      answer.headers.get('x-ratelimit-remaining'),
    ]
    const write = calling('create_record', { resource: 'companies', attributes: { name: 'Acme' } })
    expect(left(await post(own.url, token, calling('list_records', { resource: 'companies' })))).toEqual([
      200,
      '4',
      '3',
    ])
    expect(left(await post(own.url, token, write))).toEqual([200, '1', '0'])
    const refused = await post(own.url, token, write)
    expect(left(refused)).toEqual([429, '1', '0'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.body.error.message).toMatch(/^Too many requests: the limit of 1 writes per token per minute/)
    expect((await get('/companies')).headers.get('x-ratelimit-remaining')).toBe('2')
    expect((await get('/companies')).body.meta.total).toBe(1)
    expect(left(await post(own.url, token, ping))).toEqual([200, '4', '0'])
    expect((await get('/companies')).status).toBe(429)
  })

  it('a paused workspace is 402, with the address where that is settled', async () => {
    const workspace = await own.workspace()
    await pauseWorkspace(own.runtime, workspace.slug)
    const answer = await post(own.url, workspace.api.token, ping)
    expect([answer.status, answer.body.error.message]).toEqual([402, expect.stringContaining('is paused')])
    expect(answer.body.error.data.upgrade_url).toMatch(new RegExp(`/${workspace.slug}/settings/billing$`))
  })
})
