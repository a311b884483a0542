import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { NAME_MAX } from '@kith/contract/limits'
import { refuse, refuseIfAny, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../journal/write.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser, findUserByEmail, insertPassword, insertUser, type UserRow } from '../storage/tables/accounts.ts'
import { loadWorkspacesOf } from '../storage/tables/members.ts'
import { addToCounts } from '../storage/tables/records.ts'
import { checkPassword, parseEmail, parseName } from './parse-account.ts'

type NewUser = {
  email: string
  name: string
  password?: string | undefined
  /** Whether the address counts as verified. */
  verified: boolean
}

/** A checked new user with the hashed password. */
type PreparedUser = { email: string; name: string; verified: boolean; hash: string | undefined }

/**
 * Creates a user for the operator. The address counts as verified. Without a password the user cannot sign in, but
 * tokens and memberships work.
 */
export async function createUser(runtime: Runtime, input: Omit<NewUser, 'verified'>): Promise<UserRow> {
  const prepared = await prepareUser(runtime, { ...input, verified: true })
  return runtime.engine.transaction((inside) => insertPrepared(runtime, inside, prepared))
}

/** Checks the input and hashes the password. Hashing is slow on purpose, so it runs before the transaction. */
export async function prepareUser({ engine }: Runtime, input: NewUser): Promise<PreparedUser> {
  const issues: Issue[] = []
  const report = reportInto(issues)
  const email = parseEmail(input.email, 'email', report)
  const name = parseName(input.name, NAME_MAX, report)
  if (input.password !== undefined) checkPassword(input.password, report)
  if (email !== '' && (await findUserByEmail(engine.db, email))) report('email', taken(email))
  refuseIfAny(issues)
  const { verified } = input
  return { email, name, verified, hash: input.password === undefined ? undefined : await hashed(input.password) }
}

export async function insertPrepared(
  { engine, now }: Runtime,
  inside: Db,
  { hash, ...who }: PreparedUser,
): Promise<UserRow> {
  await lockEmails({ engine }, inside, [who.email])
  // Another request may have created the user while the password was hashed.
  if (await findUserByEmail(inside, who.email)) refuseValue('email', taken(who.email))
  const made = now()
  const user = { id: newId(made.getTime()), ...who }
  const at = made.toISOString()
  await insertUser(inside, user, at)
  if (hash !== undefined) await insertPassword(inside, { id: newId(made.getTime()), user_id: user.id, hash, at })
  return user
}

/** Locks addresses before they change, so that no two accounts get the same one. */
export function lockEmails({ engine }: Pick<Runtime, 'engine'>, inside: Db, emails: readonly string[]): Promise<void> {
  return engine.lock(inside, emails.map((email) => `user ${email}`).toSorted())
}

/** By id, or by email address in any letter case. */
export function findPerson(db: Db, emailOrId: string): Promise<UserRow | undefined> {
  const id = parseId(emailOrId)
  return id === undefined ? findUserByEmail(db, emailOrId.trim().toLowerCase()) : findUser(db, id)
}

/** For the operator: a user by email address. */
export async function requireUser(db: Db, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, email.trim().toLowerCase())
  return user ?? refuse({ kind: 'not_found', message: `No user has the email ${excerpt(email)}.` })
}

/** In the format that better-auth checks at sign-in. Loads it only when a password is hashed. */
export async function hashed(password: string): Promise<string> {
  const { hashPassword } = await import('better-auth/crypto')
  return hashPassword(password)
}

function taken(email: string): string {
  return `A user with the email ${email} exists already.`
}

/** Records a change of the user in every workspace that shows it. */
export async function noteUserChange(
  { engine, now }: Runtime,
  inside: Db,
  {
    user: { id, email },
    field,
    before,
    after,
  }: { user: UserRow; field: 'name' | 'email'; before: string; after: string },
): Promise<void> {
  const actor = { user_id: id, source: 'web', token_id: null } as const
  const change = { kind: 'updated', at: now().toISOString(), changed: [field] } as const
  const entry = { action: 'update', resource: 'members', record_id: id, name: email } as const
  // By id: two users who change at the same time lock the workspaces in the same order.
  for (const workspace of (await loadWorkspacesOf(inside, id)).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const noting = { engine, db: inside, now, workspace, actor }
    await noteWrite(noting, [{ ...entry, changes: [[field, before, after]], change }])
    // Lists show members, so cached lists are outdated.
    await addToCounts(noting, 'companies', 0)
  }
}
