import { createClient, KithError } from '@kith/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pauseWorkspace } from '../../../src/accounts/workspaces.ts'
import type { Api } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { newWorkspace } from '../../workspace.ts'

function clientOf({ base, token }: Api) {
  return createClient({ url: base.replace(/\/v1$/, ''), token, retries: 0 })
}

async function failureOf(call: Promise<unknown>): Promise<KithError> {
  const failure = await call.catch((error: unknown) => error)
  if (!(failure instanceof KithError)) throw new Error('The call did not fail as it should.')
  expect(failure.request_id).toMatch(/^[A-Za-z0-9._-]+$/)
  return failure
}

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

describe('failures are typed errors', () => {
  it('401: the token is not one', async () => {
    const { api } = await newWorkspace()
    const failure = await failureOf(clientOf({ ...api, token: 'kith_no' }).user())
    expect(failure).toMatchObject({ kind: 'unauthenticated', status: 401, message: 'Unauthenticated.' })
  })

  it('403: the token lacks the ability', async () => {
    const { token } = await newWorkspace()
    const kith = clientOf(await token({ abilities: ['read'] }))
    const failure = await failureOf(kith.companies.create({ name: 'Acme' }))
    expect(failure).toMatchObject({ kind: 'forbidden', status: 403, message: expect.stringContaining('create') })
  })

  it('404: no record has the ID', async () => {
    const { api } = await newWorkspace()
    const message = `No company with the ID ${NOWHERE} exists in this workspace.`
    const { companies } = clientOf(api)
    for (const call of [companies.read, companies.delete]) {
      expect(await failureOf(call(NOWHERE))).toMatchObject({ kind: 'not_found', status: 404, message })
    }
  })

  it('409: more than one record holds the value, and the error names them', async () => {
    const workspace = await newWorkspace()
    const kith = clientOf(workspace.api)
    await workspace.field('notes', { name: 'Key', type: 'text' })
    const custom_fields = { key: 'twice' }
    const { data: first } = await kith.notes.create({ title: 'One', custom_fields })
    const { data: second } = await kith.notes.create({ title: 'Two', custom_fields })
    await workspace.updateField('notes', 'key', { unique: true })
    const failure = await failureOf(kith.notes.upsert({ title: 'Three', match: { field: 'key', value: 'TWICE' } }))
    expect(failure).toMatchObject({ kind: 'ambiguous', status: 409, matches: [first.id, second.id] })
  })

  it('413: the filter is too large', async () => {
    const { api } = await newWorkspace()
    const filter = { name: { $eq: 'x'.repeat(262_144) } }
    expect(await failureOf(clientOf(api).people.list({ filter }))).toMatchObject({ kind: 'too_large', status: 413 })
  })

  it('422: every problem has its path', async () => {
    const { api } = await newWorkspace()
    const failure = await failureOf(
      clientOf(api).people.create({ name: ' ', custom_fields: { emails: ['ada@example.com', 'no'] } }),
    )
    expect(failure).toMatchObject({
      kind: 'invalid',
      status: 422,
      message: expect.stringContaining('(and 1 more error)'),
    })
    expect(failure.errors).toEqual({
      name: ['The name field is required.'],
      'custom_fields.emails.1': [expect.stringContaining('email address')],
    })
    const sought = { custom_fields: { phone_number: { $has_any: ['555'] } } }
    const { errors } = await failureOf(clientOf(api).people.list({ filter: { $or: [sought] } }))
    expect(Object.keys(errors)).toEqual(['filter.$or.0.custom_fields.phone_number.$has_any.0'])
  })

  it('404: there is nothing at the address of the API', async () => {
    const { api } = await newWorkspace()
    const kith = createClient({ url: new URL('/nowhere', api.base).href, token: api.token })
    expect(await failureOf(kith.user())).toMatchObject({ kind: 'not_found', status: 404 })
  })

  it('an aborted call fails with the reason of its signal', async () => {
    const { api } = await newWorkspace()
    const abort = new AbortController()
    const listed = clientOf(api).companies.list({ signal: abort.signal })
    abort.abort('enough')
    await expect(listed).rejects.toBe('enough')
  })
})

describe('failures of a hosted service with limits', () => {
  let hosted: OwnService

  beforeAll(async () => {
    hosted = await ownService({ HOSTED: 'true', APP_URL: 'https://crm.example.com', RATE_LIMIT_READS: '1' })
  })

  afterAll(() => hosted.stop())

  it('402: where to subscribe', async () => {
    const { api, runtime, slug } = await hosted.workspace()
    await pauseWorkspace(runtime, slug)
    const upgrade_url = `https://crm.example.com/${slug}/settings/billing`
    expect(await failureOf(clientOf(api).user())).toMatchObject({ kind: 'paused', status: 402, upgrade_url })
  })

  it('429: when to come back', async () => {
    const { api } = await hosted.workspace()
    await clientOf(api).user()
    const { kind, status, retry_after } = await failureOf(clientOf(api).user())
    expect({ kind, status }).toEqual({ kind: 'rate_limited', status: 429 })
    expect(retry_after).toBeGreaterThanOrEqual(1)
    expect(retry_after).toBeLessThanOrEqual(60)
  })
})
