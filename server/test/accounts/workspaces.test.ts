import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enterAsMember, enterAsOperator } from '../../src/accounts/enter-workspace.ts'
import { listMembers } from '../../src/accounts/members.ts'
import {
  createWorkspace,
  findWorkspace,
  listWorkspaces,
  pauseWorkspace,
  resumeWorkspace,
  setComplimentary,
} from '../../src/accounts/workspaces.ts'
import { listFields } from '../../src/fields/list.ts'
import { newUser, newWorkspace, refusalOf, type TestHouse, testHouse } from './house.ts'

let house: TestHouse

beforeAll(async () => {
  house = await testHouse()
})

afterAll(() => house.engine.close())

describe('a new workspace', () => {
  test('has a slug made from its name, its owner and a trial of 14 days', async () => {
    const owner = await newUser(house)
    const made = await createWorkspace(house, { name: ' Müller & Söhne ', owner: owner.email.toUpperCase() })
    expect(made).toMatchObject({
      name: 'Müller & Söhne',
      slug: 'muller-sohne',
      created_at: '2026-11-14T09:30:00.125Z',
      trial_ends_at: '2026-11-28T09:30:00.125Z',
      subscription_status: null,
      complimentary: 0,
      paused_at: null,
    })
    expect(await findWorkspace(house.engine.db, 'muller-sohne')).toEqual(made)
    const scope = await enterAsOperator(house, 'muller-sohne')
    expect(scope.actor).toMatchObject({ user_id: owner.id, role: 'owner' })
    expect(await listMembers(scope)).toEqual([
      {
        ...{ user_id: owner.id, name: owner.name, email: owner.email, verified: true },
        ...{ role: 'owner', created_at: made.created_at },
      },
    ])
  })

  test('has the fields that every workspace has', async () => {
    const { slug } = await newWorkspace(house)
    const fields = await listFields(await enterAsOperator(house, slug))
    expect(fields.map((field) => `${field.entity_type}.${field.code}`)).toContain('companies.domains')
    expect(fields).toHaveLength(15)
  })

  test('can be owned by a user who is named by id', async () => {
    const owner = await newUser(house)
    const { slug } = await createWorkspace(house, { name: 'By id', owner: owner.id })
    expect((await enterAsMember(house, slug, owner.id)).actor.role).toBe('owner')
  })

  test('gets a number where the slug is taken or reserved', async () => {
    const { email: owner } = await newUser(house)
    const slugs: string[] = []
    for (const name of ['Twins', 'twins', 'TWINS', 'Settings']) {
      slugs.push((await createWorkspace(house, { name, owner })).slug)
    }
    expect(slugs).toEqual(['twins', 'twins-2', 'twins-3', 'settings-2'])
  })

  test('gets a slug of its own when many are made at once', async () => {
    const { email: owner } = await newUser(house)
    const made = await Promise.all(Array.from({ length: 6 }, () => createWorkspace(house, { name: 'Crowd', owner })))
    expect(new Set(made.map((workspace) => workspace.slug)).size).toBe(6)
  })
})

describe('is refused', () => {
  test('with all problems at once, and nothing is stored', async () => {
    const before = (await listWorkspaces(house)).length
    const refused = createWorkspace(house, { name: '', owner: 'nobody@example.com', slug: 'No' })
    expect(await refusalOf(refused)).toEqual([
      'name: The name must have 1 to 255 characters.',
      'owner: No user has the email nobody@example.com. Make the account first (kith user create).',
      'slug: The slug must have 2 to 50 characters: small letters, digits and dashes, not beginning with a dash.',
    ])
    expect(await listWorkspaces(house)).toHaveLength(before)
  })

  test('when the slug is taken or reserved', async () => {
    const { slug, owner } = await newWorkspace(house)
    const asked = (slug: string) => refusalOf(createWorkspace(house, { name: 'Other', owner: owner.email, slug }))
    expect(await asked(slug)).toEqual([`slug: The slug ${slug} is taken.`])
    expect(await asked('api')).toEqual(['slug: The slug api is reserved.'])
  })
})

describe('a pause', () => {
  test('is set, kept when set again, and cleared', async () => {
    const { slug } = await newWorkspace(house)
    const paused = await pauseWorkspace(house, slug)
    expect(paused.paused_at).toBe('2026-11-14T09:30:00.125Z')
    const later = { ...house, now: () => new Date('2027-01-01T00:00:00.000Z') }
    expect((await pauseWorkspace(later, slug)).paused_at).toBe(paused.paused_at)
    expect((await resumeWorkspace(house, slug)).paused_at).toBeNull()
    expect((await findWorkspace(house.engine.db, slug))?.paused_at).toBeNull()
  })

  test('leaves the complimentary mark alone', async () => {
    const { slug } = await newWorkspace(house)
    await setComplimentary(house, slug, true)
    expect(await pauseWorkspace(house, slug)).toMatchObject({ complimentary: 1 })
    expect(await setComplimentary(house, slug, false)).toMatchObject({ complimentary: 0 })
  })

  test('of an unknown workspace is refused with the nearest slug', async () => {
    const owner = await newUser(house)
    await createWorkspace(house, { name: 'Zanzibar', owner: owner.email })
    expect(await refusalOf(pauseWorkspace(house, 'zanzibr'))).toEqual([
      'not_found: No workspace has the slug zanzibr. Did you mean zanzibar?',
    ])
  })
})

test('whoever is no member cannot tell whether a workspace exists', async () => {
  const { slug } = await newWorkspace(house)
  const stranger = await newUser(house)
  const [there] = await refusalOf(enterAsMember(house, slug, stranger.id))
  const [nowhere] = await refusalOf(enterAsMember(house, 'nowhere', stranger.id))
  expect(there?.replace(slug, 'nowhere')).toBe(nowhere)
})
