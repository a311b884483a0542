import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addMember, removeMember } from '../../../src/accounts/members.ts'
import {
  createToken,
  EXPIRIES,
  findBearer,
  hashToken,
  kindOfToken,
  listTokens,
  revokeToken,
} from '../../../src/accounts/tokens.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { UserRow } from '../../../src/storage/tables/accounts.ts'
import { replaceLastUsedAt } from '../../../src/storage/tables/tokens.ts'
import { newUser, newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

let runtime: TestRuntime
let asOwner: Scope
let asMember: Scope
let member: UserRow

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

beforeEach(async () => {
  const { slug } = await newWorkspace(runtime)
  asOwner = await enterAsOperator(runtime, slug)
  member = await newUser(runtime, 'Member')
  await addMember(asOwner, { email: member.email, role: 'member' })
  asMember = await enterAsMember(runtime, slug, member.email)
})

const plain = { name: 'Sync', abilities: ['read'], expires: 'never' }

function bearerOf(token: string) {
  return findBearer(runtime.engine.db, hashToken(token))
}

describe('a new token', () => {
  test('is shown once; what is kept is its hash', async () => {
    const made = await createToken(asMember, { name: ' Sync ', abilities: ['delete', 'read', 'read'], expires: '30' })
    expect(made).toEqual({
      id: expect.any(String),
      token: expect.any(String),
      name: 'Sync',
      abilities: ['read', 'delete'],
      expires_at: '2026-12-14T09:30:00.125Z',
      created_at: '2026-11-14T09:30:00.125Z',
    })
    expect(kindOfToken(made.token)).toBe('personal')
    const rows = await runtime.engine.db.session.run('select * from tokens', [])
    expect(JSON.stringify(rows)).not.toContain(made.token)
    expect(JSON.stringify(rows)).toContain(hashToken(made.token))
  })

  test('is found with all that a request needs', async () => {
    const { id, token } = await createToken(asMember, plain)
    expect({ ...(await bearerOf(token)) }).toEqual({
      token_id: id,
      workspace_id: asMember.workspace.id,
      workspace_number: asMember.workspace.number,
      workspace_slug: asMember.workspace.slug,
      workspace_name: 'Acme',
      fields_version: asMember.workspace.fields_version,
      user_id: member.id,
      abilities: ['read'],
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      role: 'member',
      trial_ends_at: '2026-11-28T09:30:00.125Z',
      subscription_status: null,
      complimentary: 0,
      paused_at: null,
    })
  })

  test('another text finds nothing', async () => {
    expect(await bearerOf('kith_nothing')).toBeUndefined()
  })

  test.each(EXPIRIES)('can expire: %s', async (expires) => {
    const { expires_at } = await createToken(asMember, { ...plain, expires })
    const days = expires_at === null ? 'never' : (Date.parse(expires_at) - runtime.now().getTime()) / 86_400_000
    expect(String(days)).toBe(expires)
  })
})

test('is refused with all problems at once', async () => {
  const refused = createToken(asMember, { name: '', abilities: ['raed', 'update'], expires: '31' })
  expect(await refusalOf(refused)).toEqual([
    'name: The name must have 1 to 100 characters.',
    'abilities: The ability raed does not exist. Accepted: read, create, update, delete. Did you mean read?',
    'expires: A token expires after 7, 30, 90, 180, 365 days or never.',
  ])
})

test('needs an ability', async () => {
  const refused = createToken(asMember, { ...plain, abilities: [] })
  expect(await refusalOf(refused)).toEqual([
    'abilities: A token needs at least one ability: read, create, update, delete.',
  ])
})

test('a member who left has no role, and has it again after coming back', async () => {
  const { token } = await createToken(asMember, plain)
  await removeMember(asOwner, member)
  expect((await bearerOf(token))?.role).toBeNull()
  await addMember(asOwner, { email: member.email, role: 'viewer' })
  expect((await bearerOf(token))?.role).toBe('viewer')
})

describe('a list', () => {
  test('shows a member their own tokens and an owner all, newest first', async () => {
    const first = await createToken(asOwner, plain)
    const second = await createToken(asMember, plain)
    expect((await listTokens(asMember)).map((token) => token.id)).toEqual([second.id])
    expect((await listTokens(asOwner)).map((token) => token.id)).toEqual([second.id, first.id])
    expect((await listTokens(asMember))[0]).toMatchObject({ user_email: member.email, abilities: ['read'] })
  })

  test('holds nothing of another workspace', async () => {
    await createToken(asOwner, plain)
    const { slug } = await newWorkspace(runtime)
    expect(await listTokens(await enterAsOperator(runtime, slug))).toEqual([])
  })
})

describe('a revoked token', () => {
  test('says so at once, and keeps the time when revoked again', async () => {
    const { id, token } = await createToken(asMember, plain)
    await revokeToken(asMember, id.toUpperCase())
    expect((await bearerOf(token))?.revoked_at).toBe('2026-11-14T09:30:00.125Z')
    const later = { ...asOwner, now: () => new Date('2027-01-01T00:00:00.000Z') }
    expect((await revokeToken(later, id)).revoked_at).toBe('2026-11-14T09:30:00.125Z')
    expect((await bearerOf(token))?.revoked_at).toBe('2026-11-14T09:30:00.125Z')
  })

  test('must be one’s own, or the revoker an owner or admin', async () => {
    const { id } = await createToken(asOwner, plain)
    expect(await refusalOf(revokeToken(asMember, id))).toEqual([
      `not_found: No token with the ID ${id} exists in this workspace.`,
    ])
    const { id: own } = await createToken(asMember, plain)
    expect((await revokeToken(asOwner, own)).revoked_at).not.toBeNull()
  })

  test('must be of this workspace', async () => {
    const { id } = await createToken(asOwner, plain)
    const { slug } = await newWorkspace(runtime)
    const elsewhere = await enterAsOperator(runtime, slug)
    expect((await refusalOf(revokeToken(elsewhere, id)))[0]).toMatch(/^not_found/)
    expect((await refusalOf(revokeToken(elsewhere, 'nonsense')))[0]).toMatch(/^not_found/)
  })
})

test('the last use of a token never goes back', async () => {
  const { id, token } = await createToken(asMember, plain)
  const lastUse = async () => (await bearerOf(token))?.last_used_at
  const use = (at: string) => replaceLastUsedAt(runtime.engine.single, { table: 'tokens', id, at })
  await use('2026-11-15T10:00:00.000Z')
  expect(await lastUse()).toBe('2026-11-15T10:00:00.000Z')
  await use('2026-11-15T09:00:00.000Z')
  expect(await lastUse()).toBe('2026-11-15T10:00:00.000Z')
})
