import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { timeIn } from '../../src/storage/tables/places.ts'
import { eventually, hookTo } from '../both/webhooks/receiver.ts'
import { webhookSettings, webhookWorld } from '../both/webhooks/world.ts'
import { startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'

/** Sets the clock of a process ahead. */
const ahead = (ms: number) => {
  const source = `const real = Date.now
    const Shifted = class extends Date {
      constructor(...given) { given.length === 0 ? super(real() + ${ms}) : super(...given) }
    }
    Shifted.now = () => real() + ${ms}
    globalThis.Date = Shifted`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` }
}

it('a node whose clock is ten minutes ahead neither takes the endpoints of another one nor keeps them for longer', async () => {
  const { service, workspace, receiver } = await webhookWorld()
  const { engine } = service.runtime
  const { id: first } = await hookTo(workspace.api, receiver)
  const leaseOf = (id: string) =>
    sql<string>`select leased_by from webhooks
    where workspace_id = ${workspace.id} and id = ${id}`.value(engine.db)
  const holder = await eventually(
    () => leaseOf(first),
    (by) => typeof by === 'string',
  )
  const early = await startService({ ...service.env, ...webhookSettings, ...ahead(600_000) })
  whenFileEnds(() => early.stop())
  // It looks for endpoints without a node every second.
  await setTimeout(3000)
  await workspace.api.post('/people', { name: 'Ada' })
  await receiver.until(1)
  expect(await leaseOf(first)).toBe(holder)
  await service.service.stop()
  const taken = await eventually(
    () => leaseOf(first),
    (by) => typeof by === 'string' && by !== holder,
  )
  expect(taken).not.toBe(holder)
  // If the process were killed now, any other node would find the endpoint free after 30 seconds.
  const free = (ms: number) =>
    sql`select 1 from webhooks where workspace_id = ${workspace.id} and id = ${first}
    and leased_until < ${timeIn(engine, ms)}`.exists(engine.db)
  expect([await free(0), await free(40_000)]).toEqual([false, true])
  expect(receiver.received).toHaveLength(1)
})
