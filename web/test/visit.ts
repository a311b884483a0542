import { createHmac, randomBytes } from 'node:crypto'
import type { Role } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import type { Page } from 'playwright-core'
import { inject } from 'vitest'
import { addMember } from '../../server/src/accounts/members.ts'
import { hashToken } from '../../server/src/accounts/tokens.ts'
import { createUser, hashed } from '../../server/src/accounts/users.ts'
import type { Runtime } from '../../server/src/scope/scope.ts'
import { sql } from '../../server/src/storage/engines/sql.ts'
import { insertPassword } from '../../server/src/storage/tables/accounts.ts'
import { newWorkspace, type TestWorkspace } from '../../server/test/workspace.ts'
import { type Look, newOwnPage, newPage } from './pages.ts'

/** The user to create: the role, and the service if it is not the shared one. */
export type Visitor = Look & { role?: Role; url?: string; name?: string; ownPage?: boolean }

/** A signed-in user with a page of their own. */
export type Visit = {
  workspace: TestWorkspace
  page: Page
  email: string
  password: string
  /** Opens a path below the workspace, such as `/companies`. */
  open(path: string): Promise<void>
}

const DAY_MS = 86_400_000
const PASSWORD = randomBytes(12).toString('hex')
/** Hashing is slow on purpose, so all users of a worker have one password. */
let passwordHash: Promise<string> | undefined

/** A new workspace and its owner. */
export async function visit(visitor: Visitor = {}): Promise<Visit> {
  return visitTo(await newWorkspace(), visitor)
}

/** Another user of a workspace. */
export async function visitTo(workspace: TestWorkspace, visitor: Visitor = {}): Promise<Visit> {
  const { url = inject('service').url, role = 'owner', name = 'Ada Lindqvist', ownPage = false, ...look } = visitor
  const { runtime } = workspace
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const { id } = await createUser(runtime, { name, email })
  await setPassword(runtime, id)
  await addMember(await workspace.scope(), { email, role })
  const page = ownPage ? await newOwnPage() : await newPage(look)
  const value = await newSession(runtime, id)
  await page.context().addCookies([{ name: 'kith.session_token', value, url, httpOnly: true, sameSite: 'Lax' }])
  const open = async (path: string) => {
    await page.goto(`${url}/${workspace.slug}${path}`)
  }
  return { workspace, page, email, password: PASSWORD, open }
}

async function setPassword({ engine, now }: Runtime, user_id: string): Promise<void> {
  passwordHash ??= hashed(PASSWORD)
  const row = { id: newId(Date.now()), user_id, hash: await passwordHash, at: now().toISOString() }
  await engine.transaction((inside) => insertPassword(inside, row))
}

/** Returns the cookie of a new session, as a sign-in would set it. */
async function newSession({ engine, now, secret }: Runtime, user_id: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  const at = now()
  const row = {
    id: newId(at.getTime()),
    user_id,
    token: hashToken(token),
    expires_at: new Date(at.getTime() + DAY_MS).toISOString(),
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }
  await engine.transaction((inside) => sql`insert into sessions ${sql.values(row)}`.run(inside))
  return encodeURIComponent(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`)
}
