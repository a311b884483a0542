import { describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { endIdleSessions } from '../../../src/runtime/retention.ts'
import { openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { ownService } from '../../own-service.ts'
import { newWorkspace, sharedRuntime } from '../../workspace.ts'

describe('the sessions of a member', () => {
  it('are ended in one workspace by its admins: it opens after a new sign-in, and others stay open', async () => {
    const [one, two] = [await newWorkspace(), await newWorkspace()]
    const admin = await signedInMember(one, 'admin')
    const member = await signedInMember(one, 'member')
    await addMember(await two.scope(), { email: member.email, role: 'member' })
    expect((await admin.browser.post(`/w/${one.slug}/members/${member.id}/end-sessions`)).status).toBe(200)
    const refused = await member.browser.get(`/w/${one.slug}/v1/companies`)
    expect(refused.status).toBe(403)
    expect(refused.body.reason).toBe('sign_in_again')
    // An admin of one workspace has no say in another.
    expect((await member.browser.get(`/w/${two.slug}/v1/companies`)).status).toBe(200)
    expect((await member.browser.get('/session')).status).toBe(200)
    await member.browser.post('/sign-in', { email: member.email, password: PASSWORD })
    expect((await member.browser.get(`/w/${one.slug}/v1/companies`)).status).toBe(200)
    const [entry] = (await admin.browser.get(`/w/${one.slug}/audit?resource=members`)).body.data
    expect(entry).toMatchObject({ action: 'end_sessions', record_id: member.id, record_name: member.email })
  })

  it('of owners are ended by owners only, and of people who are no members not at all', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const owner = await signedInMember(workspace, 'owner')
    const member = await signedInMember(workspace, 'member')
    const stranger = await signedInMember(await newWorkspace(), 'member')
    const path = (id: string) => `/w/${workspace.slug}/members/${id}/end-sessions`
    expect((await admin.browser.post(path(owner.id))).status).toBe(403)
    expect((await member.browser.post(path(admin.id))).status).toBe(403)
    expect((await admin.browser.post(path(stranger.id))).status).toBe(404)
    expect((await owner.browser.post(path(admin.id))).status).toBe(200)
    expect((await admin.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(403)
  })
})

describe('a session that is not used', () => {
  it('ends after SESSION_IDLE_HOURS, and is not listed any more', async () => {
    const own = await ownService({ SESSION_IDLE_HOURS: '2' })
    const { browser, email, id } = await signedInMember(await own.workspace(), 'member', own.url)
    const other = openBrowser(own.url)
    await other.post('/sign-in', { email, password: PASSWORD })
    const { session_id } = (await browser.get('/session')).body.data
    const used = async (hours: number) => {
      const at = new Date(Date.now() - hours * 3_600_000).toISOString()
      await own.runtime.engine.single.session.run(
        `update sessions set updated_at = '${at}' where id = '${session_id}'`,
        [],
      )
    }
    const count = `select id from sessions where user_id = '${id}'`
    await used(1.9)
    expect((await browser.get('/session')).status).toBe(200)
    await endIdleSessions(own.runtime.engine, new Date(), 0)
    expect((await own.runtime.engine.db.session.run(count, [])).rows).toHaveLength(2)
    await used(2.1)
    expect((await browser.get('/session')).status).toBe(401)
    expect((await other.get('/sessions')).body.data).toHaveLength(1)
    await endIdleSessions(own.runtime.engine, new Date(), 2)
    expect((await own.runtime.engine.db.session.run(count, [])).rows).toHaveLength(1)
    await own.stop()
  })

  it('lasts two weeks unless the installation says otherwise', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    const { session_id } = (await browser.get('/session')).body.data
    const used = async (days: number) => {
      const at = new Date(Date.now() - days * 86_400_000).toISOString()
      const touch = `update sessions set updated_at = '${at}' where id = '${session_id}'`
      await sharedRuntime().engine.single.session.run(touch, [])
    }
    await used(13)
    expect((await browser.get('/session')).status).toBe(200)
    await used(15)
    expect((await browser.get('/session')).status).toBe(401)
  })
})
