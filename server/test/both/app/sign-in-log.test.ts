import { describe, expect, it, vi } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { noteSignInEvent } from '../../../src/accounts/sign-in/sign-in-events.ts'
import { openBrowser, signedInMember, signIn } from '../../browser.ts'
import { newWorkspace, sharedRuntime } from '../../workspace.ts'

type Entry = {
  action: string
  record_name: string
  actor: { id: string } | null
  changes: { field: string; after: unknown }[]
}

const told = (entry: Entry | undefined) =>
  Object.fromEntries(entry?.changes.map(({ field, after }) => [field, after]) ?? [])

describe('sign-ins in the audit log', () => {
  it('are in the log of each workspace of the account, and in no other', async () => {
    const [one, two, other] = [await newWorkspace(), await newWorkspace(), await newWorkspace()]
    const admins = []
    for (const workspace of [one, two, other]) admins.push(await signedInMember(workspace, 'admin'))
    const member = await signedInMember(one, 'member')
    await signIn(openBrowser(), member.email)
    await addMember(await two.scope(), { email: member.email, role: 'viewer' })
    const headers = { 'User-Agent': 'Elsewhere/1.0' }
    await signIn(openBrowser(), member.email, { headers })
    const logs = []
    for (const [place, { slug }] of [one, two, other].entries()) {
      const { body } = (await admins[place]?.browser.get(`/w/${slug}/audit?resource=sign_ins`)) ?? {}
      logs.push(body.data.filter((entry: Entry) => entry.record_name === member.email))
    }
    // The first sign-in was before the second workspace.
    expect(logs.map((log) => log.length)).toEqual([2, 1, 0])
    const [entry] = logs[1]
    expect(entry).toMatchObject({ action: 'sign_in', actor: { id: member.id }, source: 'web' })
    expect(told(entry)).toEqual({ method: 'password', address: '127.0.0.1', browser: 'Elsewhere/1.0' })
    expect(JSON.stringify(logs[1])).not.toContain(one.slug)
    expect((await member.browser.get(`/w/${one.slug}/audit?resource=sign_ins`)).status).toBe(403)
  })

  it('failed ones are counted for each address and hour', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const member = await signedInMember(workspace, 'member')
    for (let i = 0; i < 3; i++) await openBrowser().post('/sign-in', { email: member.email, password: 'wrong one' })
    const failures = async () => {
      const { body } = await admin.browser.get(`/w/${workspace.slug}/audit?resource=sign_ins`)
      return body.data.filter((entry: Entry) => entry.action === 'sign_in_failed')
    }
    await vi.waitFor(async () => {
      const [entry, ...more] = await failures()
      expect(more).toEqual([])
      expect(entry).toMatchObject({ record_name: member.email, actor: null })
      expect(told(entry)).toMatchObject({ wrong: 'password', address: '127.0.0.1', attempts: 3 })
    }, 60_000)
  })

  it('an attacker with many addresses cannot flood the log', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    // Not at the turn of an hour.
    const now = new Date('2026-05-05T10:20:00.000Z')
    const runtime = { ...sharedRuntime(), now: () => now }
    for (let i = 0; i < 30; i++) {
      const user = { email: i % 2 === 0 ? admin.email : admin.email.toUpperCase() }
      const failed = { user, what: 'password', address: `192.0.2.${i}`, user_agent: undefined } as const
      await noteSignInEvent(runtime, { failed })
    }
    const { body } = await admin.browser.get(`/w/${workspace.slug}/audit?resource=sign_ins&per_page=100`)
    const failed = body.data.filter((entry: Entry) => entry.action === 'sign_in_failed')
    expect(failed).toHaveLength(21)
    expect(told(failed[0])).toMatchObject({ address: 'other addresses', attempts: 10 })
    // An address that has an entry is counted there.
    const again = { user: { id: admin.id }, what: 'code', address: '192.0.2.3', user_agent: 'x' } as const
    await noteSignInEvent(runtime, { failed: again })
    const { body: after } = await admin.browser.get(`/w/${workspace.slug}/audit?resource=sign_ins&per_page=100`)
    expect(after.data.map(told).filter(({ address }: { address: unknown }) => address === '192.0.2.3')).toMatchObject([
      { attempts: 2, wrong: 'code' },
    ])
  })
})
