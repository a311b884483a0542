import { createHmac, randomBytes } from 'node:crypto'
import type { Role } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import { inject } from 'vitest'
import { addMember } from '../src/accounts/members.ts'
import { hashToken } from '../src/accounts/tokens.ts'
import { hashed, insertPrepared } from '../src/accounts/users.ts'
import type { Runtime } from '../src/scope/scope.ts'
import { sql } from '../src/storage/engines/sql.ts'
import type { Answered } from './api.ts'
import { quickRequest } from './plain-http.ts'
import type { Person, TestWorkspace } from './workspace.ts'

export const PASSWORD = 'correct horse battery'

export type Sent = { headers?: Readonly<Record<string, string>> }

/**
 * Speaks to the private interface as the application does: with the cookies it was given, and the header that forms
 * cannot set.
 */
export type Browser = {
  url: string
  cookies: Map<string, string>
  get(path: string, options?: Sent): Promise<Answered>
  post(path: string, body?: unknown, options?: Sent): Promise<Answered>
  put(path: string, body?: unknown, options?: Sent): Promise<Answered>
  patch(path: string, body?: unknown): Promise<Answered>
  delete(path: string, body?: unknown): Promise<Answered>
  send(method: string, path: string, body?: string, options?: Sent): Promise<Answered>
  cookie(): string
  /** Takes a cookie that an answer set. */
  keep(set: string): void
}

export function openBrowser(url = inject('service').url): Browser {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  async function send(method: string, path: string, body?: string, options: Sent = {}): Promise<Answered> {
    const answered = await quickRequest(`${url}/api/app${path}`, {
      method,
      body,
      headers: {
        'X-Kith-App': '1',
        ...(cookies.size === 0 ? {} : { Cookie: cookie() }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
    })
    for (const set of answered.headers.getSetCookie()) keep(cookies, set)
    return answered
  }
  const json = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body))
  return {
    url,
    cookies,
    cookie,
    keep: (set) => keep(cookies, set),
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, json(body), options),
    put: (path, body, options) => send('PUT', path, json(body), options),
    patch: (path, body) => send('PATCH', path, json(body)),
    delete: (path, body) => send('DELETE', path, json(body)),
  }
}

function keep(cookies: Map<string, string>, set: string): void {
  const [pair = '', ...attributes] = set.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at)
  if (attributes.some((one) => one.trim().toLowerCase() === 'max-age=0')) cookies.delete(name)
  else cookies.set(name, pair.slice(at + 1))
}

let hash: Promise<string> | undefined

/** Someone with a password. It is hashed once for all of them, because hashing is slow on purpose. */
export async function newUser(runtime: Runtime, name = 'Ada'): Promise<Person> {
  hash ??= hashed(PASSWORD)
  const user = { name, email: `${randomBytes(8).toString('hex')}@example.com`, verified: true, hash: await hash }
  return runtime.engine.transaction((inside) => insertPrepared(runtime, inside, user))
}

export async function signIn(browser: Browser, email: string, options?: Sent): Promise<void> {
  const { status, text } = await browser.post('/sign-in', { email, password: PASSWORD }, options)
  if (status !== 200) throw new Error(`Signing in was answered with ${status}: ${text}`)
}

export type Member = Person & { browser: Browser }

/** A member of the workspace with a session. It does not take the password, which is slow to check. */
export async function signedInMember(workspace: TestWorkspace, role: Role, url?: string): Promise<Member> {
  const person = await newUser(workspace.runtime, `A ${role}`)
  await addMember(await workspace.scope(), { email: person.email, role })
  const browser = openBrowser(url)
  browser.keep(`kith.session_token=${await newSession(workspace.runtime, person.id)}`)
  return { ...person, browser }
}

const DAY_MS = 86_400_000

/** Stores a session as better-auth does, and gives the value of its cookie. */
async function newSession({ engine, secret, now }: Runtime, userId: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  const start = now()
  const at = start.toISOString()
  const row = {
    id: newId(start.getTime()),
    user_id: userId,
    token: hashToken(token),
    expires_at: new Date(start.getTime() + DAY_MS).toISOString(),
    created_at: at,
    updated_at: at,
  }
  await sql`insert into sessions ${sql.values(row)}`.run(engine.single)
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  return encodeURIComponent(`${token}.${signature}`)
}
