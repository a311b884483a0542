import type { Role } from '@kith/contract/abilities'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addMember, changeRole, listMembers, removeMember } from '../../../src/accounts/members.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { UserRow } from '../../../src/storage/tables/accounts.ts'
import { newUser, newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

let runtime: TestRuntime
let owner: UserRow
let asOwner: Scope

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

beforeEach(async () => {
  const workspace = await newWorkspace(runtime)
  owner = workspace.owner
  asOwner = await enterAsOperator(runtime, workspace.slug)
})

async function someone(role: Role): Promise<{ user: UserRow; scope: Scope }> {
  const user = await newUser(runtime, role)
  await addMember(asOwner, { email: user.email, role })
  return { user, scope: await enterAsMember(runtime, asOwner.workspace.slug, user.email) }
}

async function rolesThere(): Promise<string[]> {
  return (await listMembers(asOwner)).map((member) => member.role)
}

test('members are added, get other roles and are removed', async () => {
  const { user } = await someone('viewer')
  expect(await rolesThere()).toEqual(['owner', 'viewer'])
  expect(await changeRole(asOwner, { email: user.id, role: 'admin' })).toMatchObject({ role: 'admin' })
  expect(await rolesThere()).toEqual(['owner', 'admin'])
  expect(await removeMember(asOwner, { email: user.email.toUpperCase() })).toMatchObject({ user_id: user.id })
  expect(await rolesThere()).toEqual(['owner'])
})

describe('is refused', () => {
  test('adding someone without an account, or in a role that does not exist', async () => {
    expect(await refusalOf(addMember(asOwner, { email: 'nobody@example.com', role: 'amin' }))).toEqual([
      'role: The role amin does not exist. Accepted: owner, admin, member, viewer. Did you mean admin?',
      'email: No user has the email nobody@example.com. Create the user first (kith user create).',
    ])
  })

  test('adding someone twice', async () => {
    const { user } = await someone('member')
    expect(await refusalOf(addMember(asOwner, { email: user.email, role: 'admin' }))).toEqual([
      `email: ${user.email} is a member of this workspace already.`,
    ])
  })

  test('changing or removing a person who is no member', async () => {
    const stranger = await newUser(runtime)
    for (const call of [
      () => removeMember(asOwner, stranger),
      () => changeRole(asOwner, { email: stranger.id, role: 'admin' }),
    ]) {
      expect((await refusalOf(call()))[0]).toMatch(/^not_found: .* is not a member of this workspace\.$/)
    }
  })

  test.each<Role>(['member', 'viewer'])('managing members as %s', async (role) => {
    const { scope } = await someone(role)
    const other = await newUser(runtime)
    for (const call of [
      () => addMember(scope, { email: other.email, role: 'viewer' }),
      () => removeMember(scope, owner),
      () => changeRole(scope, { email: owner.email, role: 'viewer' }),
    ]) {
      expect(await refusalOf(call())).toEqual([
        expect.stringMatching(/^forbidden: .*does not allow you to manage members/),
      ])
    }
  })

  test('an admin who would make, change or remove an owner', async () => {
    const { scope, user } = await someone('admin')
    const other = await newUser(runtime)
    for (const call of [
      () => addMember(scope, { email: other.email, role: 'owner' }),
      () => changeRole(scope, { email: user.email, role: 'owner' }),
      () => changeRole(scope, { email: owner.email, role: 'member' }),
      () => removeMember(scope, owner),
    ]) {
      expect(await refusalOf(call())).toEqual([expect.stringMatching(/^forbidden: .*to make, change or remove owners/)])
    }
  })
})

test('an admin manages the others', async () => {
  const { scope } = await someone('admin')
  const other = await newUser(runtime)
  await addMember(scope, { email: other.email, role: 'viewer' })
  await changeRole(scope, { email: other.email, role: 'member' })
  await removeMember(scope, other)
  expect(await rolesThere()).toEqual(['owner', 'admin'])
})

test('anyone may leave', async () => {
  const { scope, user } = await someone('viewer')
  await removeMember(scope, user)
  expect(await rolesThere()).toEqual(['owner'])
})

describe('the last owner', () => {
  test('cannot be removed, leave or get another role', async () => {
    expect(await refusalOf(removeMember(asOwner, owner))).toEqual([
      'role: The last owner of a workspace cannot be removed. Make another member an owner first.',
    ])
    expect(await refusalOf(changeRole(asOwner, { email: owner.email, role: 'admin' }))).toEqual([
      'role: The last owner of a workspace cannot be given another role. Make another member an owner first.',
    ])
    expect(await changeRole(asOwner, { email: owner.email, role: 'owner' })).toMatchObject({ role: 'owner' })
  })

  test('stays when two owners remove each other at once', async () => {
    const { scope, user } = await someone('owner')
    await Promise.allSettled([removeMember(asOwner, user), removeMember(scope, owner)])
    expect(await rolesThere()).toEqual(['owner'])
  })
})
