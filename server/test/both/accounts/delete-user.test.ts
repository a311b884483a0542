import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInvitation } from '../../../src/accounts/invitations.ts'
import { addMember, changeRole, listMembers } from '../../../src/accounts/members.ts'
import { createSignInLink, resetPassword } from '../../../src/accounts/sign-in/password-links.ts'
import { createToken, listTokens } from '../../../src/accounts/tokens.ts'
import { deleteUser } from '../../../src/accounts/who-am-i.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { loadUsers } from '../../../src/storage/tables/accounts.ts'
import { createView, listViews } from '../../../src/views/views.ts'
import { newUser, newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

const emails = async () => (await loadUsers(runtime.engine.db)).map(({ email }) => email)

test('a deleted user is gone from every workspace, and what they shared stays', async () => {
  const { slug } = await newWorkspace(runtime)
  const user = await newUser(runtime)
  await addMember(await enterAsOperator(runtime, slug), { email: user.email, role: 'admin' })
  const scope = await enterAsMember(runtime, slug, user.email)
  await createToken(scope, { name: 'sync', abilities: ['read'], expires: 'never' })
  for (const shared of [true, false]) {
    await createView(scope, { resource: 'companies', name: `shared: ${shared}`, shared, state: {} })
  }
  await createInvitation(scope, 'http://localhost', { role: 'member' })
  expect(await emails()).toContain(user.email)

  expect(await deleteUser(runtime, user.email.toUpperCase())).toMatchObject({ id: user.id })

  const operator = await enterAsOperator(runtime, slug)
  expect(await emails()).not.toContain(user.email)
  expect(await listMembers(operator)).toHaveLength(1)
  expect(await listTokens(operator)).toEqual([])
  const views = await listViews(operator, { resource: 'companies' })
  expect(views.map(({ name, owner }) => [name, owner?.id])).toEqual([['shared: true', operator.actor.user_id]])
})

test('the only owner of a workspace is not deleted until there is another one', async () => {
  const { slug } = await newWorkspace(runtime)
  const scope = await enterAsOperator(runtime, slug)
  const [owner] = await listMembers(scope)
  const heir = await newUser(runtime)
  await addMember(scope, { email: heir.email, role: 'member' })
  expect(await refusalOf(deleteUser(runtime, owner?.email ?? ''))).toEqual([
    expect.stringContaining(`owner of ${slug}.`),
  ])
  await changeRole(scope, { email: heir.email, role: 'owner' })
  await deleteUser(runtime, owner?.email ?? '')
  expect((await enterAsOperator(runtime, slug)).actor.user_id).toBe(heir.id)
})

test('the first password of a new user leaves their tokens working', async () => {
  const { slug } = await newWorkspace(runtime)
  const user = await newUser(runtime)
  await addMember(await enterAsOperator(runtime, slug), { email: user.email, role: 'member' })
  const url = new URL(await createSignInLink(runtime, 'http://localhost', user))
  const scope = await enterAsMember(runtime, slug, user.email)
  await createToken(scope, { name: 'first', abilities: ['read'], expires: 'never' })
  const input = { token: url.searchParams.get('token'), new_password: 'correct horse' }
  expect((await resetPassword(runtime, { input, provider: null }))?.notice).toBeUndefined()
  expect(await listTokens(scope)).toMatchObject([{ name: 'first', revoked_at: null }])
})
