import { HOUR_MS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { expect, onTestFinished } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { spendInMemory } from '../../../src/limits/rate-limit.ts'
import { openMailer } from '../../../src/mails/mailer.ts'
import { updateSettings } from '../../../src/notifications/inbox.ts'
import { mailWith, type SendMail } from '../../../src/outbound/mail.ts'
import { addComment } from '../../../src/records/comments/comments.ts'
import { createRecord } from '../../../src/records/write.ts'
import { executeCall, stepsOf } from '../../../src/runtime/execute-call.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { userTable } from '../../../src/storage/tables/accounts.ts'
import { newMailServer } from '../../mail-server.ts'
import { newUser, newWorkspace, testRuntime } from '../../test-runtime.ts'

const APP_URL = 'https://crm.example.com'

/** A workspace with two members, whose time the test sets, a mail server, and two nodes that send mail. */
export async function mailing({ hosted = false } = {}) {
  const runtime = await testRuntime()
  const { engine, clock } = runtime
  clock.now = new Date('2026-11-14T09:00:00.000Z')
  const server = await newMailServer()
  const { slug, owner, id: workspace_id } = await newWorkspace(runtime)
  const ada = await newUser(runtime, 'Ada')
  await addMember(await enterAsOperator(runtime, slug), { email: ada.email, role: 'member' })
  const failures: unknown[] = []
  const runStep = stepsOf(runtime, (call) => executeCall(runtime, call))
  const spend = spendInMemory(() => clock.now.getTime())
  const smtp = mailWith({ SMTP_URL: server.url, MAIL_FROM: undefined, APP_URL })
  const sendMail: SendMail = async (mail) => smtp?.(mail)
  const open = () =>
    openMailer({
      runtime,
      runStep,
      hosted,
      app_url: APP_URL,
      spend,
      sendMail,
      onFailure: (error) => failures.push(error),
    })
  const nodes = [open(), open()]
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await engine.close()
  })
  const scopeOf = ({ id }: { id: string }) => enterAsMember(runtime, slug, id)
  /** How many mailboxes are open, or should be. */
  const busy = () =>
    sql`select count(*) as n from (
      select id from mailboxes where workspace_id = ${workspace_id}
      union all select id from notifications
      where workspace_id = ${workspace_id} and mail_at <= ${clock.now.toISOString()}) w`.count(engine.db)
  /** Lets the time pass, and waits until both nodes have nothing to do. */
  async function at(time: string | Date): Promise<void> {
    clock.now = new Date(time)
    for (const node of nodes) node.soon()
    await expect.poll(busy).toBe(0)
  }
  // Ada joined.
  await updateSettings(await scopeOf(owner), { body: { joined: 'none' }, issues: [] })
  const sent = { raw: {}, loose: true, issues: [] }
  return {
    ...{ ...server, runtime, ada, owner, slug, workspace_id, failures, scopeOf },
    async company(name: string) {
      const made = await createRecord(await scopeOf(owner), registry.companies, { body: { name }, asked: sent })
      return String(made.data()[0]?.id)
    },
    /** The owner comments on a company, and mentions Ada. */
    async comment(record_id: string, text: string) {
      const scope = await scopeOf(owner)
      const made = await addComment(scope, registry.companies, {
        id: record_id,
        body: { body: `@[${ada.id}] ${text}` },
        issues: [],
      })
      return made.id
    },
    async settings(body: object) {
      await updateSettings(await scopeOf(ada), { body, issues: [] })
    },
    zone: (name: string) => userTable.update(engine.single, { id: ada.id }, { time_zone: name }),
    at,
    pass: (minutes: number) => at(new Date(clock.now.getTime() + (minutes * HOUR_MS) / 60)),
  }
}
