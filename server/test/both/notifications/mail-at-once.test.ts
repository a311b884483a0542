import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { removeMember } from '../../../src/accounts/members.ts'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { changeState, pauseWorkspace } from '../../../src/accounts/workspaces.ts'
import { listNotifications, readNotifications } from '../../../src/notifications/inbox.ts'
import { removeComment } from '../../../src/records/comments/comments.ts'
import { removeRecord } from '../../../src/records/trash/restore.ts'
import { createRecord } from '../../../src/records/write.ts'
import { sql, syntaxOf } from '../../../src/storage/engines/sql.ts'
import { mailing } from './mails.ts'

describe('a mail at once', () => {
  it('is sent after five minutes, by one of two nodes, and read as text and HTML', async () => {
    const { ada, owner, slug, mails, failures, company, comment, pass } = await mailing()
    const id = await company('Acme <b>& Söhne</b>')
    const said = await comment(id, 'see https://evil.example <script>\n\nCall at 12:30, it costs 1.5.')
    await pass(4.9)
    expect(mails).toEqual([])
    await pass(0.1)
    expect(failures).toEqual([])
    expect(mails).toHaveLength(1)
    const [mail] = mails
    expect(mail?.to).toEqual([{ name: '', address: ada.email }])
    expect(mail?.subject).toBe(`Owner mentioned you on the company Acme <b>& Söhne</b>`)
    const link = `https://crm.example.com/${slug}/companies/${id}?comment=${said}`
    expect(mail?.text).toContain(
      `Owner mentioned you on the company Acme <b>& Söhne</b>\n\n> @Ada see https[:]//evil[.]example <script>\n> \n> Call at 12:30, it costs 1.5.\n\n${link}\n`,
    )
    expect(mail?.text).toContain('You get this mail from the workspace Acme. A comment mentions you.')
    expect(mail?.text).toContain(`Settings: https://crm.example.com/${slug}/settings/notifications`)
    expect(mail?.html).toContain('Owner mentioned you on the company Acme &#60;b&#62;&#38; Söhne&#60;/b&#62;')
    expect(mail?.html).toContain('https[:]//evil[.]example &#60;script&#62;<br><br>Call at 12:30, it costs 1.5.')
    expect(mail?.html).toContain(`<a href="${link.replace('&', '&#38;')}">Open in Kith</a>`)
    expect(mail?.html).not.toMatch(/<script|<b>/)
    expect(owner.email).not.toBe(ada.email)
    await pass(60)
    expect(mails).toHaveLength(1)
  })

  it('has the headers of RFC 8058, and none that a name could add', async () => {
    const { ada, mails, company, comment, pass } = await mailing()
    const id = await company('Acme\r\nBcc: eve@example.com')
    await comment(id, 'Hello')
    await pass(5)
    const [mail] = mails
    const header = (name: string) => mail?.headers.filter(({ key }) => key === name).map(({ value }) => value)
    const token = /unsubscribe\?token=[\w.-]+/.exec(mail?.text ?? '')?.[0]
    expect(header('list-unsubscribe')).toEqual([`<https://crm.example.com/${token}>`])
    expect(header('list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click'])
    expect(header('auto-submitted')).toEqual(['auto-generated'])
    expect(header('bcc')).toEqual([])
    expect(header('to')).toEqual([ada.email])
    expect(mail?.messageId).toMatch(/^<[\w.]+@crm\.example\.com>$/)
  })

  it('is one for one record within five minutes, and another one for another record', async () => {
    const { mails, company, comment, pass } = await mailing()
    const [one, other] = [await company('One'), await company('Other')]
    await comment(one, 'first')
    await pass(4)
    await comment(one, 'second')
    await comment(other, 'third')
    await pass(1)
    expect(mails.map(({ subject }) => subject)).toEqual(['2 notifications: the company One'])
    expect(mails[0]?.text).toMatch(/> @Ada first\n[^>]+> @Ada second\n/)
    await comment(one, 'fourth')
    await pass(4)
    expect(mails.slice(1).map(({ subject }) => subject)).toEqual(['Owner mentioned you on the company Other'])
    await pass(1)
    expect(mails.slice(2).map(({ text }) => text)).toEqual([expect.stringContaining('> @Ada fourth')])
  })

  it('is not sent about a deleted record or comment, about what was read, or to a former member', async () => {
    const world = await mailing()
    const { ada, owner, runtime, slug, mails, failures, company, comment, pass, scopeOf } = world
    const [deleted, kept] = [await company('Deleted'), await company('Kept')]
    await comment(deleted, 'about a record that goes')
    const withdrawn = await comment(kept, 'withdrawn')
    await removeRecord(await scopeOf(owner), registry.companies, { id: deleted })
    await removeComment(await scopeOf(owner), withdrawn, [])
    await comment(await company('Read'), 'read in the inbox')
    await readNotifications(await scopeOf(ada), { body: { until: runtime.now().toISOString() }, issues: [] })
    await pass(5)
    await comment(kept, 'to someone who leaves')
    await removeMember(await enterAsOperator(runtime, slug), { email: ada.email })
    await pass(5)
    expect([mails, failures]).toEqual([[], []])
  })

  it('is not sent for a reason with no mail, nor to an address that is not confirmed, nor after three days', async () => {
    const { ada, runtime, mails, company, comment, settings, pass } = await mailing()
    await settings({ mentioned: 'none' })
    await comment(await company('Acme'), 'no mail')
    await pass(5)
    await settings({ mentioned: 'at_once' })
    await pass(5)
    expect(mails).toEqual([])
    await comment(await company('Late'), 'the service was down')
    await pass(3 * 24 * 60 + 1)
    expect(mails).toEqual([])
    const { flag } = syntaxOf(runtime.engine.single.session)
    await sql`update users set email_verified = ${flag(false)} where id = ${ada.id}`.run(runtime.engine.single)
    await comment(await company('Stranger'), 'the mailbox may be of someone else')
    await pass(5)
    expect(mails).toEqual([])
  })

  it('is not sent by a paused workspace, nor later', async () => {
    const { runtime, slug, mails, failures, company, comment, pass } = await mailing({ hosted: true })
    await comment(await company('Acme'), 'Hello')
    await pauseWorkspace(runtime, slug)
    await pass(5)
    await changeState(runtime, slug, () => ({ paused_at: null }))
    await pass(60)
    expect([mails, failures]).toEqual([[], []])
  })

  it('that the server does not take is sent again later, four times, unless it refuses the mail itself', async () => {
    const { mails, refusals, failures, company, comment, pass } = await mailing()
    refusals.push(451, 451)
    await comment(await company('Busy'), 'Hello')
    await pass(5)
    expect([mails.length, failures.length]).toEqual([0, 1])
    await pass(1)
    await pass(4)
    expect([mails.length, failures.length]).toEqual([0, 2])
    await pass(1)
    expect([mails.length, failures.length]).toEqual([1, 2])
    refusals.push(550)
    await comment(await company('Refused'), 'Hello')
    await pass(5)
    await pass(1000)
    expect([mails.length, refusals.length]).toEqual([1, 0])
    refusals.push(451, 451, 451, 451, 451)
    await comment(await company('Never'), 'Hello')
    await pass(5)
    for (const minutes of [1, 5, 25, 120, 1000]) await pass(minutes)
    expect([mails.length, refusals.length]).toEqual([1, 0])
  })

  it('is sent at most 60 times an hour to a user, the rest is in the digest', async () => {
    const { owner, ada, mails, failures, at, scopeOf, settings } = await mailing()
    await settings({ assigned: 'at_once' })
    const scope = await scopeOf(owner)
    const create = (n: number) =>
      createRecord(scope, registry.tasks, {
        body: { title: `Task ${n}`, assignee_ids: [ada.id] },
        asked: { raw: {}, loose: true, issues: [] },
      })
    for (let n = 0; n < 65; n++) await create(n)
    await at('2026-11-14T09:05:00Z')
    expect([mails.length, failures]).toEqual([60, []])
    await at('2026-11-14T23:00:00Z')
    expect(mails).toHaveLength(60)
    await at('2026-11-15T08:00:00Z')
    expect(mails.slice(60).map(({ subject }) => subject)).toEqual(['5 notifications: Acme'])
    const { data } = await listNotifications(await scopeOf(ada), { raw: { per_page: '100' }, issues: [] })
    expect(data).toHaveLength(65)
  })
})
