import { setTimeout } from 'node:timers/promises'
import { registry } from '@kith/contract/registry'
import { expect, it, onTestFinished } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { watchFeed } from '../../../src/changes/live-updates.ts'
import type { Step } from '../../../src/leases/step.ts'
import { openSender } from '../../../src/outbound/sender.ts'
import { createRecord } from '../../../src/records/write.ts'
import { executeCall, stepsOf } from '../../../src/runtime/execute-call.ts'
import { openDispatcher } from '../../../src/webhooks/dispatch/dispatcher.ts'
import { listDeliveries, replayEvents } from '../../../src/webhooks/list-deliveries.ts'
import { createWebhook } from '../../../src/webhooks/update-webhook.ts'
import { newWorkspace, testRuntime } from '../../test-runtime.ts'
import { eventually, newReceiver, type Receiver } from './receiver.ts'

type Settings = { sendMail?: () => Promise<void>; beforeStep?: (step: Step) => Promise<void> }

/** A dispatcher of a new workspace. */
async function dispatching({ sendMail, beforeStep = async () => {} }: Settings) {
  const runtime = { ...(await testRuntime()), now: () => new Date() }
  const { slug, owner } = await newWorkspace(runtime)
  const scope = await enterAsMember(runtime, slug, owner.id)
  const rules = { allow: { hosts: [], networks: ['127.0.0.0/8'] }, own: [] }
  const steps = stepsOf(runtime, (call) => executeCall(runtime, call))
  const failures: unknown[] = []
  const dispatcher = openDispatcher({
    runtime,
    async runStep(facts, step, lane) {
      await beforeStep(step)
      return steps(facts, step, lane)
    },
    listen: watchFeed(runtime, () => {}).listen,
    retries: [],
    hosted: false,
    resync: '',
    app_url: '',
    sender: openSender({ rules: () => rules }),
    sendMail,
    onFailure: (error) => failures.push(error),
  })
  onTestFinished(async () => {
    await dispatcher.stop()
    await runtime.engine.close()
  })
  const hookTo = async ({ url }: Receiver) =>
    (await createWebhook(scope, { body: { url, types: ['people.created'] }, rules })).id
  const person = (name: string) =>
    createRecord(scope, registry.people, { body: { name }, asked: { raw: {}, loose: false, issues: [] } })
  return { scope, dispatcher, failures, hookTo, person }
}

it('a replay that ends while the result of another one is being stored is sent once', async () => {
  /** The storing of results of replays waits for this, once a test has begun. */
  let gate = Promise.resolve()
  let storing = () => {}
  const beforeStep = async ({ handler, input }: Step) => {
    if (handler !== 'store-progress' || !JSON.stringify(input).includes('"updates":[{')) return
    storing()
    await gate
  }
  const { scope, dispatcher, failures, hookTo, person } = await dispatching({ beforeStep })
  const receiver = await newReceiver()
  const id = await hookTo(receiver)
  for (const name of ['Ada', 'Bob']) await person(name)
  const delivered = () => listDeliveries(scope, { id, asked: { raw: { state: 'delivered' }, loose: true, issues: [] } })
  await receiver.until(2)
  await eventually(delivered, ({ data }) => data.length === 2)

  const opened = Promise.withResolvers<void>()
  const isStoring = Promise.withResolvers<void>()
  const first = receiver.received[0]?.headers['webhook-id']
  receiver.received.length = 0
  gate = opened.promise
  storing = () => isStoring.resolve()
  // The result of the first is being stored when the second ends.
  receiver.answer(async ({ headers }, response) => {
    if (headers['webhook-id'] !== first) await isStoring.promise
    response.writeHead(204).end()
  })
  expect(await replayEvents(scope, id, { from_sequence: 1, to_sequence: 1000 })).toBe(2)
  dispatcher.soon()
  await receiver.until(2)
  await isStoring.promise
  await eventually(
    async () => receiver.open(),
    (open) => open === 0,
  )
  await setTimeout(100)
  opened.resolve()
  await eventually(delivered, ({ data }) => data.length === 4)
  // Whatever is still waiting would be sent before this.
  await person('Cleo')
  await eventually(delivered, ({ data }) => data.length >= 5)
  expect(receiver.received.map(({ headers }) => headers['kith-replay'])).toEqual(['true', 'true', undefined])
  expect(failures).toEqual([])
})

it('a mail server that hangs does not delay the leases of webhooks', async () => {
  const [mailed, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sendMail = () => {
    mailed.resolve()
    return answered.promise
  }
  const { failures, hookTo, person } = await dispatching({ sendMail })
  const [gone, receiver] = [await newReceiver(), await newReceiver()]
  gone.answer((_received, response) => response.writeHead(410).end())
  await hookTo(gone)
  await person('Ada')
  await mailed.promise
  // The lease of a new endpoint is taken by the loop that renews those of others.
  await hookTo(receiver)
  await person('Bob')
  await receiver.until(1)
  answered.resolve()
  expect(failures).toEqual([])
})
