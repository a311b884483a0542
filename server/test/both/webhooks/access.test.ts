import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { listConnections, removeConnection } from '../../../src/accounts/oauth/connections.ts'
import { createOperatorLink } from '../../../src/accounts/sign-in/password-links.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { type Api, apiAt } from '../../api.ts'
import { openBrowser } from '../../browser.ts'
import { signedIn } from '../../oauth-person.ts'
import { ageSpentTokens, oauthService, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'
import { type PostOffice, postOffice } from '../../post-office.ts'
import { whenFileEnds } from '../../when-file-ends.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { hookTo, newReceiver, type Receiver, webhookAt, webhookWhere } from './receiver.ts'
import { webhookSettings } from './world.ts'

let own: OwnService
let post: PostOffice
let workspace: TestWorkspace

beforeAll(async () => {
  post = await postOffice()
  whenFileEnds(async () => post.close())
  own = await oauthService({ ...webhookSettings, WEBHOOK_RETRIES: '0.2,0.2,0.2', SMTP_URL: post.url })
  workspace = await own.workspace()
})

/** A receiver that has got one event of an endpoint. */
async function delivering(api: Api, more: object = {}): Promise<{ id: string; receiver: Receiver }> {
  const receiver = await newReceiver()
  const { id } = await hookTo(api, receiver, { types: ['companies.*'], ...more })
  await company('Before')
  await receiver.until(1)
  return { id, receiver }
}

async function company(name: string, api = workspace.api): Promise<void> {
  expect((await api.post('/companies', { name })).status).toBe(201)
}

/** Sends a change to all endpoints, and waits until another one has got it: then nothing else is on its way. */
async function afterAnother(name: string): Promise<void> {
  const receiver = await newReceiver()
  const { id } = await hookTo(workspace.api, receiver, { types: ['companies.*'] })
  await company(name)
  await receiver.until(1)
  await workspace.api.delete(`/webhooks/${id}`)
}

async function expectEnded({ id, receiver }: { id: string; receiver: Receiver }, reason: string): Promise<void> {
  await afterAnother('After')
  const after = await webhookWhere(workspace.api, id, ({ state }) => state === 'disabled')
  expect(after.reason).toBe(reason)
  expect(receiver.received.map(({ body }) => body.data.record.attributes.name)).not.toContain('After')
}

describe('an endpoint is disabled with the token that created it', () => {
  it('when the token is revoked: its state says so at once, and nothing is sent', async () => {
    const token = await workspace.token()
    const hook = await delivering(token)
    await workspace.revoke(token.id)
    expect(await webhookAt(workspace.api, hook.id)).toMatchObject({ state: 'disabled', reason: 'token' })
    await expectEnded(hook, 'token')
  })

  it('when the token has expired', async () => {
    const token = await workspace.token()
    const hook = await delivering(token)
    const past = new Date(Date.now() - 1000).toISOString()
    await sql`update tokens set expires_at = ${past} where id = ${token.id}`.run(own.runtime.engine.single)
    await expectEnded(hook, 'token')
  })

  it('even if the token was revoked while the endpoint was created', async () => {
    const token = await workspace.token()
    const hook = await delivering(token)
    const at = new Date().toISOString()
    // As if the endpoint had been stored a moment after the revocation.
    await sql`update tokens set revoked_at = ${at} where id = ${token.id}`.run(own.runtime.engine.single)
    await expectEnded(hook, 'token')
  })

  it('an event that is being sent is not tried again', async () => {
    const token = await workspace.token()
    const { id, receiver } = await delivering(token)
    const held: ServerResponse[] = []
    receiver.answer((_received, response) => held.push(response))
    await company('Held')
    await receiver.until(2)
    await workspace.revoke(token.id)
    for (const response of held) response.writeHead(500).end()
    await expectEnded({ id, receiver }, 'token')
    expect(receiver.received).toHaveLength(2)
  })

  it('other endpoints of the same member go on', async () => {
    const [one, other] = [await workspace.token(), await workspace.token()]
    const { id, receiver } = await delivering(other)
    await workspace.revoke(one.id)
    await company('Goes on')
    await receiver.until(2)
    expect((await webhookAt(workspace.api, id)).state).toBe('active')
    await workspace.api.delete(`/webhooks/${id}`)
  })

  it('and with a token that sent its events to another place', async () => {
    const thief = await workspace.token()
    const { id } = await delivering(workspace.api)
    const receiver = await newReceiver()
    expect((await thief.patch(`/webhooks/${id}`, { url: receiver.url })).status).toBe(200)
    await company('Diverted')
    await receiver.until(1)
    await workspace.revoke(thief.id)
    await expectEnded({ id, receiver }, 'token')
  })
})

describe('an endpoint is disabled with the connection that created it', () => {
  async function connected() {
    const person = await signedIn(workspace, own.url)
    const grant = { workspace: workspace.slug, abilities: ['read', 'create'] }
    const { client_id, tokens } = await tokensByHand(own.url, person, grant)
    const hook = await delivering(apiAt(own.url, tokens.access_token))
    return { person, client_id, tokens, hook }
  }

  it('when the connection is revoked', async () => {
    const { hook, person } = await connected()
    const scope = await workspace.scope()
    const connections = await listConnections(scope)
    await removeConnection(scope, connections.find(({ user }) => user.id === person.id)?.id ?? '')
    expect(await webhookAt(workspace.api, hook.id)).toMatchObject({ state: 'disabled', reason: 'token' })
    await expectEnded(hook, 'token')
  })

  it('when the program gives its tokens back, or a spent one is used again', async () => {
    const one = await connected()
    const back = new URLSearchParams({ token: one.tokens.refresh_token, client_id: one.client_id })
    expect((await fetch(`${own.url}/api/auth/oauth2/revoke`, { method: 'POST', body: back })).status).toBe(200)
    await expectEnded(one.hook, 'token')
    const { hook, client_id, tokens } = await connected()
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    expect((await tokensFor(own.url, form)).status).toBe(200)
    await ageSpentTokens(own.runtime, 11)
    expect((await tokensFor(own.url, form)).status).toBe(400)
    await expectEnded(hook, 'token')
  })

  it('and not while the connection only has a refresh token', async () => {
    const { hook, tokens } = await connected()
    const past = new Date(Date.now() - 1000).toISOString()
    const hash = sql`(select t.reference_id from oauth_access_tokens t where t.expires_at > ${past}
      order by t.created_at desc, t.id desc limit 1)`
    await sql`update oauth_access_tokens set expires_at = ${past} where reference_id = ${hash}`.run(
      own.runtime.engine.single,
    )
    expect((await apiAt(own.url, tokens.access_token).get('/companies')).status).toBe(401)
    await company('Still connected')
    await hook.receiver.until(2)
    await workspace.api.delete(`/webhooks/${hook.id}`)
  })
})

describe('an endpoint is disabled with the rights of its creator', () => {
  it('when they become a viewer; the owners and they get one mail about all of them', async () => {
    const member = await workspace.member('member')
    const token = await workspace.token({ user: member })
    const hook = await delivering(token)
    const other = await delivering(token)
    await workspace.setRole(member, 'viewer')
    expect(await webhookAt(workspace.api, hook.id)).toMatchObject({ state: 'disabled', reason: 'role' })
    await expectEnded(hook, 'role')
    await expectEnded(other, 'role')
    const letters = () => post.letters.filter((one) => one.includes('may no longer change records'))
    await expect.poll(() => letters().length).toBe(2)
    for (const { email } of [member, workspace.owner]) expect(letters().join()).toContain(`To: ${email}`)
    for (const letter of letters()) {
      expect(letter).toContain('2 webhooks of')
      // No link of the member's choice.
      expect(letter.replaceAll('=\n', '')).not.toContain(new URL(hook.receiver.url).host)
    }
  })

  it('when their password is reset, also those of the application, and what they prepared', async () => {
    const person = await signedIn(workspace, own.url, 'admin')
    const { browser } = person
    const receiver = await newReceiver()
    const made = await browser.post(`/w/${workspace.slug}/v1/webhooks`, { url: receiver.url, types: ['companies.*'] })
    expect(made.status, made.text).toBe(201)
    const colleague = await workspace.member('member')
    const invited = await browser.post(`/w/${workspace.slug}/invitations`, { role: 'admin' })
    const link = await browser.post(`/w/${workspace.slug}/members/${colleague.id}/reset-link`)
    await company('Before')
    await receiver.until(1)
    const { url } = await createOperatorLink(own.runtime, own.url, person.email)
    const sent = { token: new URL(url).searchParams.get('token'), new_password: 'another good password' }
    expect((await openBrowser(own.url).post('/password/reset', sent)).status).toBe(200)
    await expectEnded({ id: made.body.data.id, receiver }, 'password')
    await expect.poll(() => post.letters.filter((one) => one.includes('was reset')).length).toBeGreaterThan(0)
    const [stranger, invitation] = [openBrowser(own.url), new URL(invited.body.data.url).searchParams.get('token')]
    expect((await stranger.get(`/invitations/${invitation}`)).status).toBe(404)
    const theirs = { ...sent, token: new URL(link.body.data.url).searchParams.get('token') }
    expect((await stranger.post('/password/reset', theirs)).status).toBe(422)
  })
})

describe('an endpoint whose access has ended', () => {
  it('belongs to the member who makes it active again: their rights, their token, their own changes', async () => {
    const old = await workspace.token()
    const { id, receiver } = await delivering(old, { exclude_own: true })
    await workspace.revoke(old.id)
    const admin = await workspace.member('admin')
    const fresh = await workspace.token({ user: admin })
    const [reading, changing] = [['read'], ['update']] as const
    expect((await (await workspace.token({ abilities: reading })).patch(`/webhooks/${id}`, {})).status).toBe(403)
    // A member who may not create an endpoint may not take one over.
    const weak = await workspace.token({ abilities: changing })
    expect((await weak.patch(`/webhooks/${id}`, { state: 'active' })).status).toBe(403)
    receiver.reset()
    expect((await fresh.patch(`/webhooks/${id}`, { state: 'active', from: 'now' })).status).toBe(200)
    expect(await webhookAt(fresh, id)).toMatchObject({ state: 'active', reason: null, creator_id: admin.id })
    await company('Own', fresh)
    await company('Of another')
    const [received] = await receiver.until(1)
    expect(received?.body.data).toMatchObject({
      record: { attributes: { name: 'Of another' } },
      origin: { own: false },
    })
    await workspace.revoke(fresh.id)
    await expectEnded({ id, receiver }, 'token')
  })

  it('keeps its creator if their access is whole', async () => {
    const { id } = await delivering(workspace.api)
    await workspace.api.patch(`/webhooks/${id}`, { state: 'paused' })
    const admin = await workspace.member('admin')
    const token = await workspace.token({ user: admin })
    expect((await token.patch(`/webhooks/${id}`, { state: 'active' })).status).toBe(200)
    expect((await webhookAt(token, id)).creator_id).toBe(workspace.owner.id)
    await workspace.api.delete(`/webhooks/${id}`)
  })
})
