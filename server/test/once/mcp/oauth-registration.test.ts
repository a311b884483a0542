import { CLIENT_BODY_MAX_BYTES } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { spendRegistration } from '../../../src/accounts/sign-in/sign-in-limit.ts'
import { spendInMemory } from '../../../src/limits/rate-limit.ts'
import { expireOldRows } from '../../../src/runtime/retention.ts'
import { signedInMember } from '../../browser.ts'
import { RETURNS_TO } from '../../oauth-person.ts'
import { authorizeUrl, oauthService } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'

let own: OwnService

beforeAll(async () => {
  own = await oauthService({ TRUST_PROXY: '1', REGISTER_LIMIT_ADDRESS: '20' })
})

let addresses = 0

/** From an address of its own, unless one is given. */
async function register(metadata: object, address = `10.0.0.${++addresses}`) {
  const response = await fetch(`${own.url}/api/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [RETURNS_TO], ...metadata }),
  })
  return { status: response.status, retry: response.headers.get('Retry-After'), body: await response.json() }
}

async function storedClients(): Promise<number> {
  const { rows } = await own.runtime.engine.db.session.run('select count(*) as clients from oauth_clients', [])
  // The statement returns one row of one number.
  return (rows as { clients: number }[])[0]?.clients ?? 0
}

describe('Registration of OAuth clients, which anybody may do', () => {
  it('takes 8 KB at most', async () => {
    const before = await storedClients()
    const large = await register({ software_statement: 'x'.repeat(CLIENT_BODY_MAX_BYTES) })
    expect(large).toMatchObject({ status: 413, body: { error: 'invalid_client_metadata' } })
    expect(await storedClients()).toBe(before)
  })

  it.each([
    ['client_name', 'x'.repeat(101), /The client_name must not be greater than 100 characters/],
    [
      'client_name',
      'Kith\u202egnp.exe',
      /must not contain control characters, direction marks or other invisible characters/,
    ],
    ['client_name', 'Ki\u2066th', /direction marks/],
    ['client_name', 'Ki\u200fth', /direction marks/],
    ['client_name', 'Ki\u200bth', /invisible characters/],
    ['client_name', 'Ki\u00adth', /invisible characters/],
    ['client_name', 'Kith\u{e0041}', /invisible characters/],
    ['client_name', 'Kith\nofficial', /control characters/],
    ['client_uri', 'https://example.com/\u202e', /The client_uri must not contain/],
    [
      'redirect_uris',
      Array.from({ length: 11 }, (_, n) => `${RETURNS_TO}/${n}`),
      /The redirect_uris must not have more than 10 items/,
    ],
    ['contacts', [`${'x'.repeat(2050)}@example.com`], /The contacts must not be greater than 2048 characters/],
  ])('refuses metadata that hides something or is too much: %s %j', async (key, value, problem) => {
    const { status, body } = await register({ [key]: value })
    expect([status, body.error, body.error_description]).toEqual([
      400,
      'invalid_client_metadata',
      expect.stringMatching(problem),
    ])
  })

  it('names of 100 characters of any alphabet are taken', async () => {
    expect((await register({ client_name: 'é'.repeat(100) })).status).toBe(201)
    expect((await register({ client_name: 'مساعد' })).status).toBe(201)
  })

  it('an address has 20 an hour; others are not held up by it', async () => {
    const seen = new Map<number, number>()
    for (let n = 0; n < 22; n++) {
      const { status, retry, body } = await register({}, '192.0.2.7')
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (status !== 429) continue
      expect(body).toMatchObject({
        error: 'temporarily_unavailable',
        error_description: expect.stringMatching(/from your address within an hour/),
      })
      expect(Number(retry)).toBeGreaterThan(3000)
    }
    expect(Object.fromEntries(seen)).toEqual({ 201: 20, 429: 2 })
    expect((await register({}, '192.0.2.8')).status).toBe(201)
  })

  it('a document about a client that is read counts as one', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.9' }
    const statuses: number[] = []
    for (let n = 0; n < 21; n++) {
      const url = authorizeUrl(own.url, { client_id: `https://127.0.0.1/${n}` })
      statuses.push((await fetch(url, { headers, redirect: 'manual' })).status)
    }
    expect(statuses).toEqual([...Array(20).fill(302), 429])
  })

  it('all addresses together have 200 an hour, and a network of IPv6 addresses counts as one', async () => {
    const spend = spendInMemory()
    const limits = { address: 20, total: 200 }
    const from = (address: string, user_id?: string) => spendRegistration(spend, limits, { address, user_id })
    for (let n = 0; n < 20; n++) await from(`2001:db8:1:2::${n}`)
    await expect(from('2001:db8:1:2:ffff::1')).rejects.toThrow(/from your address/)
    await from('2001:db8:1:3::1')
    for (let n = 0; n < 129; n++) await from(`10.1.0.${n}`)
    await expect(from('10.2.0.1')).rejects.toThrow(/at this installation/)
    // A part is kept for callers with a session, also behind an address that has none left.
    for (let n = 0; n < 20; n++) await from('2001:db8:1:2::1', 'ada')
    await expect(from('10.2.0.1', 'ada')).rejects.toThrow(/at this installation/)
    for (let n = 0; n < 30; n++) await from('10.2.0.1', `user ${n}`)
    await expect(from('10.2.0.1', 'bob')).rejects.toThrow(/at this installation/)
  })

  it('strangers do not use up what is kept for callers with a session', async () => {
    const few = await oauthService({ REGISTER_LIMIT_TOTAL: '4', REGISTER_LIMIT_ADDRESS: '100' })
    const { browser } = await signedInMember(await few.workspace(), 'member', few.url)
    const registered = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ client_name: 'One', redirect_uris: [RETURNS_TO] })
      const sent = { 'Content-Type': 'application/json', ...headers }
      const url = `${few.url}/api/auth/oauth2/register`
      return (await fetch(url, { method: 'POST', headers: sent, body })).status
    }
    const strangers = []
    for (let n = 0; n < 4; n++) strangers.push(await registered({}))
    expect(strangers).toEqual([201, 201, 201, 429])
    expect(await registered({ Cookie: browser.cookie() })).toBe(201)
    expect(await registered({ Cookie: browser.cookie() })).toBe(429)
  })

  it('a client that no user has connected is deleted after a day', async () => {
    expect((await register({})).status).toBe(201)
    expect(await storedClients()).toBeGreaterThan(0)
    await expireOldRows(own.runtime.engine, new Date(Date.now() + 23 * 3_600_000))
    expect(await storedClients()).toBeGreaterThan(0)
    await expireOldRows(own.runtime.engine, new Date(Date.now() + 25 * 3_600_000))
    expect(await storedClients()).toBe(0)
  })
})
