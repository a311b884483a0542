import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { unsubscribeToken } from '../../../src/mails/unsubscribe.ts'
import { openBrowser } from '../../browser.ts'
import { newMailServer } from '../../mail-server.ts'
import { ownService } from '../../own-service.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { memberOf } from './inbox.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

/** What the program in which a mail is read sends. */
const oneClick = {
  method: 'POST',
  body: 'List-Unsubscribe=One-Click',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
}

async function member() {
  const ada = await memberOf(workspace, 'viewer')
  const token = unsubscribeToken(workspace.runtime.secret, {
    workspace_id: workspace.id,
    user_id: ada.id,
    reasons: ['mentioned', 'due'],
  })
  const settings = async () => (await ada.api.get('/notifications/settings')).body.data.attributes
  const { url } = openBrowser()
  return {
    ada,
    token,
    settings,
    address: (sent = token) => `${url}/unsubscribe?token=${sent}`,
    before: await settings(),
  }
}

describe('a link in a mail', () => {
  it('ends mails for its reasons with one click, without a session, also a second time', async () => {
    const { address, settings, before } = await member()
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(address(), oneClick)
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { data: { workspace: `Workspace ${workspace.slug}`, reasons: ['mentioned', 'due'] } },
      ])
    }
    expect(await settings()).toEqual({ ...before, mentioned: 'none', due: 'none' })
  })

  it('ends nothing when it is only opened: the page asks first', async () => {
    const { address, token, settings, before } = await member()
    for (const Accept of ['text/html', '*/*']) await fetch(address(), { headers: { Accept } })
    const browser = openBrowser()
    const told = { workspace: `Workspace ${workspace.slug}`, reasons: ['mentioned', 'due'] }
    expect((await browser.get(`/unsubscribe/${token}`)).body.data).toEqual(told)
    expect(await settings()).toEqual(before)
    expect((await browser.post(`/unsubscribe/${token}`, {})).body.data).toEqual(told)
    expect(await settings()).toEqual({ ...before, mentioned: 'none', due: 'none' })
  })

  it('that was changed ends nothing', async () => {
    const { address, token, settings, before } = await member()
    const [text = '', signature = ''] = token.split('.')
    const other = JSON.stringify([workspace.id, workspace.owner.id, 'mentioned'])
    const forged = [`${Buffer.from(other).toString('base64url')}.${signature}`, `${text}.`, text, `${token}x`, '', '.']
    for (const sent of forged) {
      const answer = await fetch(address(sent), oneClick)
      expect([sent, answer.status]).toEqual([sent, 404])
      expect((await answer.json()).message).toContain('This link does not work.')
    }
    expect(await settings()).toEqual(before)
  })

  it('of a former member is answered alike, and ends nothing after they come back', async () => {
    const { ada, address } = await member()
    await workspace.remove(ada)
    const answer = await fetch(address(), oneClick)
    expect([answer.status, (await answer.json()).data.workspace]).toEqual([200, null])
    await addMember(await workspace.scope(), { email: ada.email, role: 'viewer' })
    const { body } = await (await workspace.token({ user: ada })).get('/notifications/settings')
    expect(body.data.attributes.mentioned).toBe('at_once')
  })
})

it('a service that runs mails at once, and stops after one click', async () => {
  const { url: SMTP_URL, mails } = await newMailServer()
  const own = await ownService({ SMTP_URL })
  const { api, owner, member: join } = await own.workspace()
  await api.put('/notifications/settings', { joined: 'at_once' })
  const ada = await join('member')
  await expect.poll(() => mails.map(({ subject }) => subject)).toEqual([`${ada.name} joined the workspace.`])
  const [mail] = mails
  expect(mail?.to[0]?.address).toBe(owner.email)
  const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
  const { pathname, search } = new URL(header.slice(1, -1))
  expect((await fetch(`${own.url}${pathname}${search}`, oneClick)).status).toBe(200)
  expect((await api.get('/notifications/settings')).body.data.attributes.joined).toBe('none')
  await own.stop()
})
