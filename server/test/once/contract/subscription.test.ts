import { TRIAL_DAYS } from '@kith/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { createUser } from '../../../src/accounts/users.ts'
import { v1Routes } from '../../../src/http/v1/routes.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { findWorkspaceBySlug, type WorkspaceRow } from '../../../src/storage/tables/workspaces.ts'
import { addressed } from '../../addressed.ts'
import type { Answered } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'
const APP_URL = 'https://crm.example.com'
const DAY_MS = 86_400_000

let hosted: OwnService

beforeAll(async () => {
  hosted = await ownService({ HOSTED: 'true', APP_URL })
})

afterAll(() => hosted.stop())

function set({ runtime, id }: TestWorkspace, facts: Partial<WorkspaceRow>) {
  return sql`update workspaces set ${sql.set(facts)} where id = ${id}`.run(runtime.engine.single)
}

/** So many days from now. */
function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString()
}

function expectPaused(answer: Answered, slug: string): void {
  expect(answer.status).toBe(402)
  expect(Object.keys(answer.body)).toEqual(['message', 'upgrade_url'])
  expect(answer.body.message).toMatch(/paused/)
  expect(answer.body.message).toMatch(/subscription/)
  expect(answer.body.upgrade_url).toBe(`${APP_URL}/${slug}/settings/billing`)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.has('x-ratelimit-remaining')).toBe(true)
}

const ended = { trial_ends_at: inDays(-1) }

const open: Record<string, Partial<WorkspaceRow>> = {
  'a trial that is running': { trial_ends_at: inDays(1) },
  'the last minute of a trial': { trial_ends_at: new Date(Date.now() + 60_000).toISOString() },
  'an active subscription': { ...ended, subscription_status: 'active' },
  'a past-due subscription': { ...ended, subscription_status: 'past_due' },
  'a complimentary workspace': { ...ended, complimentary: 1 },
  'a complimentary workspace whose subscription was canceled': {
    ...ended,
    complimentary: 1,
    subscription_status: 'canceled',
  },
  'a canceled subscription while the trial is running': { subscription_status: 'canceled' },
}

const shut: Record<string, Partial<WorkspaceRow>> = {
  'a trial that has ended': ended,
  'a canceled subscription': { ...ended, subscription_status: 'canceled' },
  'an unpaid subscription': { ...ended, subscription_status: 'unpaid' },
  'an incomplete subscription': { ...ended, subscription_status: 'incomplete' },
  'an expired attempt to subscribe': { ...ended, subscription_status: 'incomplete_expired' },
}

describe('7. Subscription: only with HOSTED=true', () => {
  it.each(Object.entries(open))('access: %s', async (_name, facts) => {
    const workspace = await hosted.workspace()
    await set(workspace, facts)
    expect((await workspace.api.get('/companies')).status).toBe(200)
    expect((await workspace.api.post('/companies', { name: 'Acme' })).status).toBe(201)
  })

  it.each(Object.entries(shut))('otherwise 402: %s', async (_name, facts) => {
    const workspace = await hosted.workspace()
    await set(workspace, facts)
    expectPaused(await workspace.api.get('/companies'), workspace.slug)
    expectPaused(await workspace.api.post('/companies', { name: 'Acme' }), workspace.slug)
  })

  it('a trial runs 14 days from creation', async () => {
    const { runtime, slug } = await hosted.workspace()
    const workspace = await findWorkspaceBySlug(runtime.engine.db, slug)
    expect(TRIAL_DAYS).toBe(14)
    expect(Date.parse(workspace?.trial_ends_at ?? '') - Date.parse(workspace?.created_at ?? '')).toBe(14 * DAY_MS)
  })

  it.each(v1Routes.map(({ method, path }) => [method, path]))('402 on every /v1 route: %s %s', async (method, path) => {
    const workspace = await hosted.workspace()
    await set(workspace, ended)
    const body = method === 'GET' ? undefined : '{}'
    expectPaused(await workspace.api.send(method, addressed(path, NOWHERE), body), workspace.slug)
  })

  it('nothing is deleted: a subscription opens the workspace on the next request', async () => {
    const workspace = await hosted.workspace()
    const made = await workspace.api.post('/companies', { name: 'Kept' })
    await set(workspace, ended)
    expectPaused(await workspace.api.delete(`/companies/${made.body.data.id}`), workspace.slug)
    await set(workspace, { subscription_status: 'active' })
    expect((await workspace.api.get('/companies')).body.data).toEqual([made.body.data])
  })

  it('402 spends like every other authenticated outcome', async () => {
    const workspace = await hosted.workspace()
    await set(workspace, ended)
    for (const left of ['299', '298']) {
      const answer = await workspace.api.get('/companies')
      expectPaused(answer, workspace.slug)
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(left)
    }
  })

  it('sign-in and tokens stay open', async () => {
    const workspace = await hosted.workspace()
    await set(workspace, ended)
    const account = { email: `${workspace.slug}@example.com`, password: 'correct horse battery' }
    const user = await createUser(workspace.runtime, { ...account, name: 'Ada' })
    await addMember(await workspace.scope(), { email: user.email, role: 'member' })
    const signedIn = await fetch(`${hosted.url}/api/app/sign-in`, {
      method: 'POST',
      headers: { Origin: APP_URL, 'Content-Type': 'application/json', 'X-Kith-App': '1' },
      body: JSON.stringify(account),
    })
    expect(signedIn.status).toBe(200)
    const made = await workspace.token({ user })
    expectPaused(await made.get('/companies'), workspace.slug)
    await workspace.revoke(made.id)
    expect((await made.get('/companies')).status).toBe(401)
  })

  it('`kith workspace pause` shuts a workspace whatever its subscription, `kith workspace resume` opens it', async () => {
    const workspace = await hosted.workspace()
    await set(workspace, { subscription_status: 'active', complimentary: 1 })
    const env = { ...hosted.env }
    expect(await runKith(['workspace', 'pause', '--workspace', workspace.slug], env)).toMatchObject({
      code: 0,
      stderr: '',
    })
    expectPaused(await workspace.api.get('/companies'), workspace.slug)
    expect(await runKith(['workspace', 'resume', '--workspace', workspace.slug], env)).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect((await workspace.api.get('/companies')).status).toBe(200)
  })

  it('the pause of one workspace leaves the others open', async () => {
    const [paused, other] = [await hosted.workspace(), await hosted.workspace()]
    await set(paused, { paused_at: inDays(0) })
    expectPaused(await paused.api.get('/companies'), paused.slug)
    expect((await other.api.get('/companies')).status).toBe(200)
  })

  it.each(Object.entries({ ...shut, 'a pause by the operator': { paused_at: inDays(-1) } }))(
    'self-hosted: never 402: %s',
    async (_name, facts) => {
      const workspace = await newWorkspace()
      await set(workspace, facts)
      expect((await workspace.api.get('/companies')).status).toBe(200)
      expect((await workspace.api.post('/companies', { name: 'Acme' })).status).toBe(201)
    },
  )
})
