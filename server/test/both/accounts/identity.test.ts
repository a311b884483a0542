import { parseId } from '@kith/contract/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_ADDRESS_HEADER, type Identity, openIdentity } from '../../../src/accounts/identity.ts'
import { createUser } from '../../../src/accounts/users.ts'
import { readConfig } from '../../../src/config.ts'
import { newUser, type TestRuntime, testRuntime } from '../../test-runtime.ts'

const ORIGIN = 'https://crm.example.com'
const password = 'correct horse battery'

let runtime: TestRuntime
let identity: Identity
const faults: unknown[] = []

beforeAll(async () => {
  runtime = await testRuntime()
  const config = readConfig({ SECRET: 's'.repeat(40), APP_URL: ORIGIN })
  identity = await openIdentity(runtime.engine, config, (error) => faults.push(error))
})

afterAll(() => runtime.engine.close())

type Sent = { body?: object; cookie?: string; origin?: string; address?: string }

function send(path: string, { body, cookie, origin = ORIGIN, address = '192.0.2.1' }: Sent = {}): Promise<Response> {
  const headers = new Headers({ Origin: origin, [CLIENT_ADDRESS_HEADER]: address })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const method = body === undefined ? 'GET' : 'POST'
  return identity.handler(
    new Request(`${ORIGIN}/api/auth${path}`, { method, headers, body: body && JSON.stringify(body) }),
  )
}

function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

describe('a user whom we made', () => {
  test('signs in, is known by the session and signs out', async () => {
    const user = await createUser(runtime, { email: 'Ada@Example.com', name: 'Ada', password })
    const signedIn = await send('/sign-in/email', { body: { email: 'ADA@example.com', password } })
    expect(signedIn.status).toBe(200)
    const cookie = cookieOf(signedIn)
    expect(cookie).toContain('kith.session_token')

    const known = await (await send('/get-session', { cookie })).json()
    expect(known.user).toMatchObject({
      id: user.id,
      email: 'ada@example.com',
      name: 'Ada',
      emailVerified: true,
      createdAt: '2026-11-14T09:30:00.125Z',
    })
    expect(parseId(known.session.id)).toBe(known.session.id)
    expect(known.session.ipAddress).toBe('192.0.2.1')
    expect(Date.parse(known.session.expiresAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000)

    expect((await send('/sign-out', { body: {}, cookie })).status).toBe(200)
    expect(await (await send('/get-session', { cookie })).json()).toBeNull()
  })

  test('changes the password, and the old one no longer opens', async () => {
    await createUser(runtime, { email: 'eve@example.com', name: 'Eve', password })
    const cookie = cookieOf(await send('/sign-in/email', { body: { email: 'eve@example.com', password } }))
    const newPassword = 'another password'
    const body = { currentPassword: password, newPassword, revokeOtherSessions: true }
    expect((await send('/change-password', { body, cookie })).status).toBe(200)
    expect((await send('/sign-in/email', { body: { email: 'eve@example.com', password } })).status).toBe(401)
    const again = { email: 'eve@example.com', password: newPassword }
    expect((await send('/sign-in/email', { body: again })).status).toBe(200)
  })
})

describe('a sign-in fails', () => {
  test('with a wrong password, an unknown email or no password at all', async () => {
    const bare = await newUser(runtime)
    await createUser(runtime, { email: 'bob@example.com', name: 'Bob', password })
    for (const email of ['bob@example.com', 'nobody@example.com', bare.email]) {
      const answer = await send('/sign-in/email', { body: { email, password: 'wrong password' }, address: '192.0.2.2' })
      expect(answer.status).toBe(401)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  test('from another site', async () => {
    const body = { email: 'bob@example.com', password }
    const answer = await send('/sign-in/email', { body, origin: 'https://evil.example.com', cookie: 'a=b' })
    expect(answer.status).toBe(403)
  })

  test('by trying passwords without end', async () => {
    // No address at all is refused before any password is looked at, and counts all the same.
    const body = { email: 'bob', password: 'wrong password' }
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) statuses.push((await send('/sign-in/email', { body, address: '192.0.2.9' })).status)
    expect(statuses.slice(0, 20)).not.toContain(429)
    expect(statuses[20]).toBe(429)
    expect((await send('/sign-in/email', { body, address: '192.0.2.10' })).status).toBe(400)
  })
})

test('a sign-up is refused', async () => {
  const body = { email: 'new@example.com', name: 'New', password }
  expect((await send('/sign-up/email', { body })).status).toBe(400)
})

test('nothing of this was our fault', () => {
  expect(faults).toEqual([])
})
