import { parseId } from '@kith/contract/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser, findPerson } from '../../../src/accounts/users.ts'
import { hasUser } from '../../../src/storage/tables/accounts.ts'
import { refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

test('a new installation has no users, until the first is made', async () => {
  expect(await hasUser(runtime.engine.db)).toBe(false)
  await createUser(runtime, { email: 'first@example.com', name: 'First' })
  expect(await hasUser(runtime.engine.db)).toBe(true)
})

test('a user is found by id and by email in any letter case', async () => {
  const user = await createUser(runtime, { email: ' Ada@Example.COM ', name: '  Ada Lovelace ' })
  expect(user).toEqual({ id: expect.any(String), email: 'ada@example.com', name: 'Ada Lovelace', verified: true })
  expect(parseId(user.id)).toBe(user.id)
  expect(await findPerson(runtime.engine.db, 'ADA@example.com')).toEqual(user)
  expect(await findPerson(runtime.engine.db, user.id.toUpperCase())).toEqual(user)
  expect(await findPerson(runtime.engine.db, 'nobody@example.com')).toBeUndefined()
})

describe('is refused', () => {
  test('with all problems at once', async () => {
    expect(await refusalOf(createUser(runtime, { email: 'ada', name: ' ', password: 'short' }))).toEqual([
      'email: The email must be a valid email address of at most 254 characters.',
      'name: The name must have 1 to 255 characters.',
      'password: The password must have 10 to 128 characters.',
    ])
  })

  test('when the email is taken, whatever its letter case', async () => {
    await createUser(runtime, { email: 'taken@example.com', name: 'One' })
    expect(await refusalOf(createUser(runtime, { email: 'Taken@Example.com', name: 'Two' }))).toEqual([
      'email: A user with the email taken@example.com exists already.',
    ])
  })

  test.each(['a\0b', 'a\nb', '\ud800', 'x'.repeat(256)])('with the name %j', async (name) => {
    expect(await refusalOf(createUser(runtime, { email: 'name@example.com', name }))).toHaveLength(1)
  })
})

test('of many who ask for one email at once, one gets it', async () => {
  const asked = Array.from({ length: 8 }, () =>
    createUser(runtime, { email: 'race@example.com', name: 'Racer', password: 'long enough' }),
  )
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.message).toContain('exists already')
  }
})
