import { registry } from '@kith/contract/registry'
import { expect, onTestFinished } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { openReminders } from '../../../src/notifications/due.ts'
import { listNotifications } from '../../../src/notifications/inbox.ts'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import { executeCall, stepsOf } from '../../../src/runtime/execute-call.ts'
import { newUser, newWorkspace, testRuntime } from '../../test-runtime.ts'

const { tasks } = registry
const sent = (body: object) => ({ body, asked: { raw: {}, loose: true, issues: [] } })

/** A workspace with two members, whose time the test sets, and two nodes that look for due tasks. */
export async function reminded() {
  const runtime = await testRuntime()
  runtime.clock.now = new Date('2026-11-14T08:00:00.000Z')
  const { slug, owner } = await newWorkspace(runtime)
  const ada = await newUser(runtime, 'Grace')
  await addMember(await enterAsOperator(runtime, slug), { email: ada.email, role: 'member' })
  const failures: unknown[] = []
  const runStep = stepsOf(runtime, (call) => executeCall(runtime, call))
  const nodes = [1, 2].map(() => openReminders({ runtime, runStep, onFailure: (error) => failures.push(error) }))
  onTestFinished(async () => {
    for (const node of nodes) node.stop()
    await runtime.engine.close()
  })
  return {
    ada,
    owner,
    as: ({ id }: { id: string }) => enterAsMember(runtime, slug, id),
    async newTask(body: object) {
      const made = await createRecord(await enterAsMember(runtime, slug, owner.id), tasks, sent(body))
      return String(made.data()[0]?.id)
    },
    async change(id: string, body: object) {
      await updateRecord(await enterAsMember(runtime, slug, owner.id), tasks, { id, ...sent(body) })
    },
    async at(time: string, day = '2026-11-14') {
      runtime.clock.now = new Date(`${day}T${time}:00.000Z`)
      await Promise.all(nodes.map((node) => node.look()))
      expect(failures).toEqual([])
    },
    async due({ id }: { id: string }) {
      const scope = await enterAsMember(runtime, slug, id)
      const { data } = await listNotifications(scope, { raw: {}, issues: [] })
      const due = data.filter(({ attributes }) => attributes.reason === 'due')
      return due.map(({ attributes: { text, actor_id, record_id } }) => [text, actor_id, record_id])
    },
  }
}

export const dueAt = (time: string) => ({ due_date: `2026-11-14T${time}:00Z` })
