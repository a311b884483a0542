import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMembers } from '../../../src/accounts/members.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { changeState, createWorkspace, pauseWorkspace } from '../../../src/accounts/workspaces.ts'
import { listFields } from '../../../src/schema/managed.ts'
import { findWorkspaceBySlug, loadWorkspaces } from '../../../src/storage/tables/workspaces.ts'
import { newUser, newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

describe('a new workspace', () => {
  test('has a slug made from its name, its owner and a trial of 14 days', async () => {
    const owner = await newUser(runtime)
    const made = await createWorkspace(runtime, { name: ' Müller & Söhne ', owner: owner.email.toUpperCase() })
    expect(made).toMatchObject({
      name: 'Müller & Söhne',
      slug: 'muller-sohne',
      created_at: '2026-11-14T09:30:00.125Z',
      trial_ends_at: '2026-11-28T09:30:00.125Z',
      subscription_status: null,
      complimentary: 0,
      paused_at: null,
    })
    expect(await findWorkspaceBySlug(runtime.engine.db, 'muller-sohne')).toEqual(made)
    const scope = await enterAsOperator(runtime, 'muller-sohne')
    expect(scope.actor).toMatchObject({ user_id: owner.id, role: 'owner' })
    expect(await listMembers(scope)).toEqual([
      {
        user_id: owner.id,
        name: owner.name,
        email: owner.email,
        verified: true,
        role: 'owner',
        created_at: made.created_at,
      },
    ])
  })

  test('has the fields that every workspace has', async () => {
    const { slug } = await newWorkspace(runtime)
    const fields = await listFields(await enterAsOperator(runtime, slug))
    expect(fields.map((field) => `${field.entity_type}.${field.code}`)).toContain('companies.domains')
    expect(fields).toHaveLength(16)
  })

  test('can be owned by a user who is named by id', async () => {
    const owner = await newUser(runtime)
    const { slug } = await createWorkspace(runtime, { name: 'By id', owner: owner.id })
    expect((await enterAsMember(runtime, slug, owner.id)).actor.role).toBe('owner')
  })

  test('gets a number where the slug is taken or reserved', async () => {
    const { email: owner } = await newUser(runtime)
    const slugs: string[] = []
    for (const name of ['Twins', 'twins', 'TWINS', 'Settings']) {
      slugs.push((await createWorkspace(runtime, { name, owner })).slug)
    }
    expect(slugs).toEqual(['twins', 'twins-2', 'twins-3', 'settings-2'])
  })

  test('gets a slug of its own when many are made at once', async () => {
    const { email: owner } = await newUser(runtime)
    const made = await Promise.all(Array.from({ length: 6 }, () => createWorkspace(runtime, { name: 'Crowd', owner })))
    expect(new Set(made.map((workspace) => workspace.slug)).size).toBe(6)
  })
})

describe('is refused', () => {
  test('with all problems at once, and nothing is stored', async () => {
    const before = (await loadWorkspaces(runtime.engine.db)).length
    const refused = createWorkspace(runtime, { name: '', owner: 'nobody@example.com', slug: 'No' })
    expect(await refusalOf(refused)).toEqual([
      'name: The name must have 1 to 255 characters.',
      'owner: No user has the email nobody@example.com. Create the user first (kith user create).',
      'slug: The slug must have 2 to 50 characters: small letters, digits and dashes, not beginning with a dash.',
    ])
    expect(await loadWorkspaces(runtime.engine.db)).toHaveLength(before)
  })

  test('when the slug is taken or reserved', async () => {
    const { slug, owner } = await newWorkspace(runtime)
    const asked = (slug: string) => refusalOf(createWorkspace(runtime, { name: 'Other', owner: owner.email, slug }))
    expect(await asked(slug)).toEqual([`slug: The slug ${slug} is taken.`])
    expect(await asked('api')).toEqual(['slug: The slug api is reserved.'])
  })
})

describe('a pause', () => {
  test('is set, kept when set again, and cleared', async () => {
    const { slug } = await newWorkspace(runtime)
    const paused = await pauseWorkspace(runtime, slug)
    expect(paused.paused_at).toBe('2026-11-14T09:30:00.125Z')
    const later = { ...runtime, now: () => new Date('2027-01-01T00:00:00.000Z') }
    expect((await pauseWorkspace(later, slug)).paused_at).toBe(paused.paused_at)
    expect((await changeState(runtime, slug, () => ({ paused_at: null }))).paused_at).toBeNull()
    expect((await findWorkspaceBySlug(runtime.engine.db, slug))?.paused_at).toBeNull()
  })

  test('leaves the complimentary mark alone', async () => {
    const { slug } = await newWorkspace(runtime)
    await changeState(runtime, slug, () => ({ complimentary: 1 }))
    expect(await pauseWorkspace(runtime, slug)).toMatchObject({ complimentary: 1 })
    expect(await changeState(runtime, slug, () => ({ complimentary: 0 }))).toMatchObject({ complimentary: 0 })
  })

  test('of an unknown workspace is refused with the nearest slug', async () => {
    const owner = await newUser(runtime)
    await createWorkspace(runtime, { name: 'Zanzibar', owner: owner.email })
    expect(await refusalOf(pauseWorkspace(runtime, 'zanzibr'))).toEqual([
      'not_found: No workspace has the slug zanzibr. Did you mean zanzibar?',
    ])
  })
})

test('a person who is no member cannot find out whether a workspace exists', async () => {
  const { slug } = await newWorkspace(runtime)
  const stranger = await newUser(runtime)
  const [there] = await refusalOf(enterAsMember(runtime, slug, stranger.id))
  const [nowhere] = await refusalOf(enterAsMember(runtime, 'nowhere', stranger.id))
  expect(there?.replace(slug, 'nowhere')).toBe(nowhere)
})
