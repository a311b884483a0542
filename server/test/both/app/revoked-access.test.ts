import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { createOperatorLink } from '../../../src/accounts/sign-in/password-links.ts'
import { listTokens } from '../../../src/accounts/tokens.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { apiAt } from '../../api.ts'
import { openBrowser, PASSWORD } from '../../browser.ts'
import { signedIn } from '../../oauth-person.ts'
import { oauthService, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'

let own: OwnService

beforeAll(async () => {
  own = await oauthService()
})

/** Somebody with a token and a connection in each of two workspaces. */
async function equipped() {
  const [one, other] = [await own.workspace(), await own.workspace()]
  const person = await signedIn(one, own.url)
  await addMember(await other.scope(), { email: person.email, role: 'member' })
  const equipment = []
  for (const workspace of [one, other]) {
    const token = await workspace.token({ user: person, url: own.url })
    const grant = { workspace: workspace.slug, abilities: ['read'] }
    const { client_id, tokens } = await tokensByHand(own.url, person, grant)
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    equipment.push({ workspace, token, connection: apiAt(own.url, tokens.access_token), refresh })
  }
  const [here, there] = equipment
  if (!here || !there) throw new Error('There are two workspaces.')
  return { person, here, there }
}

type Equipment = Awaited<ReturnType<typeof equipped>>['here']

async function statuses({ token, connection, refresh }: Equipment) {
  const api = [(await token.get('/companies')).status, (await connection.get('/companies')).status]
  return [...api, (await tokensFor(own.url, refresh)).status]
}

async function resetPassword({ email }: { email: string }): Promise<void> {
  const { url } = await createOperatorLink(own.runtime, own.url, email)
  const token = new URL(url).searchParams.get('token')
  const reset = await openBrowser(own.url).post('/password/reset', { token, new_password: 'another good password' })
  expect(reset.status).toBe(200)
}

describe('removing a member', () => {
  it('revokes the tokens and connections in that workspace, and rejoining restores none of them', async () => {
    const { person, here, there } = await equipped()
    await here.workspace.remove(person)
    expect(await statuses(here)).toEqual([403, 403, 400])
    await addMember(await here.workspace.scope(), { email: person.email, role: 'member' })
    expect(await statuses(here)).toEqual([401, 401, 400])
    expect(await statuses(there)).toEqual([200, 200, 200])
    const scope = await here.workspace.scope()
    const [token] = (await listTokens(scope)).filter(({ user_id }) => user_id === person.id)
    expect(token?.revoked_at).not.toBeNull()
    const list = `/w/${here.workspace.slug}/connections`
    expect((await person.browser.get(list)).body.data).toEqual([])
  })
})

describe('a password that is reset with a link', () => {
  it('revokes the tokens, connections and sessions of the user in every workspace', async () => {
    const { person, here, there } = await equipped()
    await resetPassword(person)
    expect([await statuses(here), await statuses(there)]).toEqual([
      [401, 401, 400],
      [401, 401, 400],
    ])
    expect((await person.browser.get('/session')).status).toBe(401)
  })

  it('ends imports that the application started', async () => {
    const { person, here } = await equipped()
    const jobs = `/w/${here.workspace.slug}/v1/jobs`
    const job = { type: 'import', resource: 'companies', format: 'csv', mode: 'create' }
    const { id } = (await person.browser.post(jobs, job)).body.data
    // As if another process ran it.
    await sql`update jobs set state = 'running', leased_by = 'another', leased_until = '2999' where id = ${id}`.run(
      own.runtime.engine.single,
    )
    await resetPassword(person)
    const { attributes } = (await here.workspace.api.get(`/jobs/${id}`)).body.data
    expect(attributes).toMatchObject({ state: 'failed', message: expect.stringContaining('password') })
  })
})

describe('a password that is changed by its user', () => {
  it('ends the other sessions, and leaves tokens and connections to the user', async () => {
    const { person, here } = await equipped()
    const other = openBrowser(own.url)
    await other.post('/sign-in', { email: person.email, password: PASSWORD })
    const change = { current_password: PASSWORD, new_password: 'another good password' }
    expect((await person.browser.post('/password', change)).status).toBe(200)
    expect((await other.get('/session')).status).toBe(401)
    expect(await statuses(here)).toEqual([200, 200, 200])
  })
})
