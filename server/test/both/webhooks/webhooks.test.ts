import { webhookStates } from '@kith/contract/webhooks/webhook'
import { beforeAll, describe, expect, it } from 'vitest'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { webhookTable } from '../../../src/storage/tables/webhooks.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { pathsOf } from '../jobs/jobs.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

const body = { url: 'https://hooks.example.com/kith', types: ['companies.*'] }

/** A paused endpoint, so that nothing is sent. */
async function newWebhook(api = workspace.api, more: object = {}): Promise<string> {
  const made = await api.post('/webhooks', { ...body, ...more })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body.data
  expect((await api.put(`/webhooks/${id}`, { state: 'paused' })).status).toBe(200)
  return id
}

describe('POST /v1/webhooks', () => {
  it('makes an endpoint and shows its secret once', async () => {
    const { api, owner } = workspace
    const made = await api.post('/webhooks', body)
    expect(made.status, made.text).toBe(201)
    const { id, type, attributes } = made.body.data
    const { secret, ...rest } = attributes
    expect(made.headers.get('Location')).toBe(`${api.base}/webhooks/${id}`)
    expect(type).toBe('webhooks')
    expect(Object.keys(rest)).toEqual([
      'url',
      'types',
      'description',
      'filter',
      'changed',
      'payload',
      'exclude_own',
      'max_in_flight',
      'state',
      'reason',
      'position',
      'last_success_at',
      'last_failure_at',
      'created_at',
      'updated_at',
      'creator_id',
    ])
    expect(rest).toMatchObject({
      ...body,
      description: null,
      filter: null,
      changed: null,
      payload: 'full',
      exclude_own: false,
      max_in_flight: 5,
      state: 'active',
      reason: null,
      position: { behind: 0, oldest_at: null },
      last_success_at: null,
      last_failure_at: null,
      creator_id: owner.id,
    })
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
    expect((await api.get(`/webhooks/${id}`)).body.data).toEqual({ id, type, attributes: rest })
    const { data, meta } = (await api.get('/webhooks')).body
    expect([data.length, meta.total]).toEqual([1, 1])
    expect(JSON.stringify(data)).not.toContain('whsec_')
    expect((await api.delete(`/webhooks/${id}`)).status).toBe(204)
    expect((await api.get(`/webhooks/${id}`)).status).toBe(404)
  })

  it('stores the secret encrypted with SECRET, also where the response is kept for the same Idempotency-Key', async () => {
    const { api, scope } = workspace
    const headers = { 'Idempotency-Key': 'secret-once' }
    const made = await api.post('/webhooks', body, { headers })
    const { id, attributes } = made.body.data
    const { db } = await scope()
    const stored = await sql<{ secret: string }>`select secret from webhooks where id = ${id}`.one(db)
    const kept = await sql<{ body: string }>`select body from idempotency_keys where key = 'secret-once'`.all(db)
    expect(stored?.secret).toBeTypeOf('string')
    expect(kept).toHaveLength(1)
    const plain = [attributes.secret, attributes.secret.slice(6), body.url]
    for (const text of plain) expect(JSON.stringify(kept)).not.toContain(text)
    for (const text of plain.slice(0, 2)) expect(stored?.secret).not.toContain(text)
    const again = await api.post('/webhooks', body, { headers })
    expect(again.text).toBe(made.text)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    await api.delete(`/webhooks/${id}`)
  })

  it.each([
    [{}, ['url', 'types']],
    [{ ...body, url: 'http://example.com/' }, ['url']],
    [{ ...body, url: 'https://127.0.0.1/' }, ['url']],
    [{ ...body, url: 'https://0x7f.1/' }, ['url']],
    [{ ...body, url: 'https://[::ffff:10.0.0.1]/' }, ['url']],
    [{ ...body, url: 'https://me:you@example.com/' }, ['url']],
    [{ ...body, url: 'https://example.com/#a' }, ['url']],
    [{ ...body, url: `https://example.com/${'a'.repeat(2040)}` }, ['url']],
    [{ ...body, types: [] }, ['types']],
    [{ ...body, types: '*' }, ['types']],
    [{ ...body, types: Array.from({ length: 101 }, () => '*') }, ['types']],
    [
      { ...body, types: ['firms.created', 'people.left', 'feed.reset', 'tasks.moved', 7] },
      [0, 1, 2, 3, 4].map((n) => `types.${n}`),
    ],
    [{ ...body, filter: [] }, ['filter']],
    [{ ...body, filter: { users: {} } }, ['filter.users']],
    [{ ...body, filter: { companies: { nmae: { $eq: 'x' } } } }, ['filter.companies.nmae']],
    [{ ...body, filter: { people: { company: { name: { $eq: 'x' } } } } }, ['filter.people.company.name']],
    [{ ...body, filter: { tasks: { assigned_to_me: true } } }, ['filter.tasks.assigned_to_me']],
    [{ ...body, changed: { companies: ['nmae'] } }, ['changed.companies']],
    [{ ...body, changed: { companies: [] } }, ['changed.companies']],
    [{ ...body, payload: 'fat', exclude_own: 1, max_in_flight: 11 }, ['payload', 'exclude_own', 'max_in_flight']],
    [{ ...body, max_in_flight: 0, description: 'x'.repeat(256) }, ['max_in_flight', 'description']],
    [{ ...body, from: 'start' }, ['from']],
    [{ ...body, from: 'nonsense' }, ['from']],
    [{ ...body, state: 'active', secret: 'x' }, ['state', 'secret']],
  ])('refuses what it does not know: %#', async (sent, paths) => {
    const answer = await workspace.api.post('/webhooks', sent)
    expect(answer.status, answer.text).toBe(422)
    expect(pathsOf(answer).toSorted()).toEqual([...paths].toSorted())
  })

  it('refuses its own host and port', async () => {
    const { host } = new URL(workspace.api.base)
    const answer = await workspace.api.post('/webhooks', { ...body, url: `https://${host}/api/v1/companies` })
    expect(pathsOf(answer)).toEqual(['url'])
  })

  it('begins at a cursor, but not at one from before the hand-off or of another workspace', async () => {
    const { api } = workspace
    const now = (await api.get('/changes?cursor=now')).body.meta
    await api.post('/companies', { name: 'Later' })
    const { id, attributes } = (await api.post('/webhooks', { ...body, from: now.next_cursor })).body.data
    // As it was created: a failed delivery blocks the record and moves the position.
    const { position } = attributes
    expect(position).toMatchObject({ sequence: now.head, behind: 1 })
    expect(position.oldest_at).toMatch(/^\d{4}-/)
    const start = (await api.get('/changes?cursor=start&limit=1000')).body.meta
    expect(start.phase).toBe('snapshot')
    expect(pathsOf(await api.post('/webhooks', { ...body, from: start.next_cursor }))).toEqual(['from'])
    const other = await newWorkspace()
    const foreign = (await other.api.get('/changes?cursor=now')).body.meta.next_cursor
    expect(pathsOf(await api.post('/webhooks', { ...body, from: foreign }))).toEqual(['from'])
    await api.delete(`/webhooks/${id}`)
  })

  it('allows 50 per workspace; the next is 422 on url', async () => {
    const { api, scope } = await newWorkspace()
    const id = await newWebhook(api)
    // Copies of a paused one: 49 requests would take long.
    await inTransaction(await scope(), async ({ db }) => {
      for (let copy = 1; copy < 50; copy++) {
        const columns =
          sql.raw(`url, types, payload, exclude_own, max_in_flight, state, secret, epoch, sequence, failures,
          noticed, created_at, updated_at, creator_id, url_by, revision`)
        const copied = `${id.slice(0, 20)}${String(copy).padStart(6, '0')}`
        await sql`insert into webhooks (workspace_id, id, ${columns})
          select workspace_id, ${copied}, ${columns} from webhooks where id = ${id}`.run(db)
      }
    })
    expect(pathsOf(await api.post('/webhooks', body))).toEqual(['url'])
    await api.delete(`/webhooks/${id}`)
    expect((await api.post('/webhooks', body)).status).toBe(201)
  })
})

// If they did, they would take minutes.
it('many endpoints that are created at the same time do not wait for each other', { timeout: 60_000 }, async () => {
  const { api } = await newWorkspace()
  const create = () => api.post('/webhooks', { ...body, types: ['users.created'] })
  const statuses = (await Promise.all(Array.from({ length: 50 }, create))).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([201]))
})

describe('PUT and PATCH /v1/webhooks/{id}', () => {
  it('change what is sent and keep the rest', async () => {
    const { api } = workspace
    const id = await newWebhook()
    const changes = { filter: { companies: { name: { $contains: 'labs' } } }, changed: { people: ['name'] } }
    const updated = await api.patch(`/webhooks/${id}`, { ...changes, description: 'For billing', payload: 'thin' })
    expect(updated.status, updated.text).toBe(200)
    expect(updated.body.data.attributes).toMatchObject({ ...body, ...changes, description: 'For billing' })
    expect(updated.body.data.attributes.secret).toBeUndefined()
    const cleared = await api.put(`/webhooks/${id}`, { filter: null, description: null, max_in_flight: 1 })
    const { filter, description, changed, max_in_flight } = cleared.body.data.attributes
    expect({ filter, description, changed, max_in_flight }).toEqual({
      filter: null,
      description: null,
      changed: changes.changed,
      max_in_flight: 1,
    })
    expect(cleared.body.data.attributes.state).toBe('paused')
    await api.delete(`/webhooks/${id}`)
  })

  it('take what was read, in every state, and change nothing', async () => {
    const { api } = workspace
    const { code } = await workspace.field('companies', {
      name: 'Read tier',
      type: 'select',
      options: ['Gold', 'Silver'],
    })
    const filter = { companies: { custom_fields: { [code]: { $in: ['Gold'] } } } }
    const id = await newWebhook(api, { filter, changed: { companies: ['name'] } })
    for (const state of webhookStates) {
      const reason = state === 'disabled' ? 'gone' : null
      const set = (inside: Scope) => webhookTable.update(inside, { id }, { state, reason })
      await inTransaction(await workspace.scope(), set)
      const { attributes } = (await api.get(`/webhooks/${id}`)).body.data
      const { status, text, body } = await api.put(`/webhooks/${id}`, attributes)
      expect(status, text).toBe(200)
      expect(body.data.attributes).toEqual({ ...attributes, state, reason })
    }
    await api.delete(`/webhooks/${id}`)
  })

  it('take active and paused as the state, and from only with active', async () => {
    const { api } = workspace
    const id = await newWebhook()
    await api.post('/companies', { name: 'While paused' })
    expect((await api.get(`/webhooks/${id}`)).body.data.attributes.position.behind).toBe(1)
    for (const state of ['failing', 'disabled', 'on']) {
      expect(pathsOf(await api.patch(`/webhooks/${id}`, { state }))).toEqual(['state'])
    }
    expect(pathsOf(await api.patch(`/webhooks/${id}`, { from: 'now' }))).toEqual(['from'])
    expect(pathsOf(await api.patch(`/webhooks/${id}`, { state: 'paused', from: 'now' }))).toEqual(['from'])
    const active = await api.patch(`/webhooks/${id}`, { state: 'active', from: 'now' })
    expect(active.body.data.attributes).toMatchObject({ state: 'active', reason: null, position: { behind: 0 } })
    await api.delete(`/webhooks/${id}`)
  })

  it('rotate shows a new secret once', async () => {
    const { api } = workspace
    const id = await newWebhook()
    const secrets = new Set<string>()
    for (const sent of [undefined, {}, { keep_hours: 0 }, { keep_hours: 72 }]) {
      const rotated = await api.put(`/webhooks/${id}/rotate`, sent)
      expect(rotated.status, rotated.text).toBe(200)
      secrets.add(rotated.body.data.attributes.secret)
    }
    expect(secrets.size).toBe(4)
    for (const keep_hours of [-1, 73, 1.5, 'x']) {
      expect(pathsOf(await api.put(`/webhooks/${id}/rotate`, { keep_hours }))).toEqual(['keep_hours'])
    }
    await api.delete(`/webhooks/${id}`)
  })
})

describe('roles and abilities', () => {
  it('members manage their own, owners and admins all; those of others are 404 to a member', async () => {
    const [one, other] = [await workspace.member('member'), await workspace.member('member')]
    const [first, second] = [await workspace.token({ user: one }), await workspace.token({ user: other })]
    const id = await newWebhook(first)
    expect((await first.get('/webhooks')).body.data).toHaveLength(1)
    expect((await second.get('/webhooks')).body.data).toHaveLength(0)
    const requests = [
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/rotate'],
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${id}`],
    ] as const
    for (const [method, rest] of requests) {
      expect((await second.send(method, `/webhooks/${id}${rest}`)).status, `${method} ${rest}`).toBe(404)
    }
    const admin = await workspace.token({ user: await workspace.member('admin') })
    expect((await admin.patch(`/webhooks/${id}`, { description: 'Checked' })).status).toBe(200)
    expect((await workspace.api.delete(`/webhooks/${id}`)).status).toBe(204)
    const viewer = await workspace.token({ user: await workspace.member('viewer') })
    expect((await viewer.post('/webhooks', body)).status).toBe(403)
    expect((await viewer.get('/webhooks')).status).toBe(200)
  })

  it('each request needs its ability', async () => {
    const id = await newWebhook()
    const lacking = async (abilities: ('read' | 'create' | 'update' | 'delete')[]) => workspace.token({ abilities })
    expect((await (await lacking(['create', 'update'])).post('/webhooks', body)).status).toBe(403)
    expect((await (await lacking(['read', 'update'])).post('/webhooks', body)).status).toBe(403)
    const reader = await lacking(['read'])
    expect((await reader.patch(`/webhooks/${id}`, {})).status).toBe(403)
    expect((await reader.put(`/webhooks/${id}/rotate`)).status).toBe(403)
    expect((await reader.delete(`/webhooks/${id}`)).status).toBe(403)
    expect((await reader.get(`/webhooks/${id}/deliveries`)).status).toBe(200)
    await workspace.api.delete(`/webhooks/${id}`)
  })

  it('when the creator leaves the workspace, the endpoint is disabled', async () => {
    const person = await workspace.member('member')
    const id = await newWebhook(await workspace.token({ user: person }))
    await workspace.remove(person)
    const { state, reason } = (await workspace.api.get(`/webhooks/${id}`)).body.data.attributes
    expect({ state, reason }).toEqual({ state: 'disabled', reason: 'creator' })
    await workspace.api.delete(`/webhooks/${id}`)
  })
})
