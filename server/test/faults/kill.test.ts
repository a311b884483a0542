import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { type Chance, chanceFrom } from '../../src/sample/chance.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { apiAt } from '../api.ts'
import { installation } from '../installation.ts'
import { inRun, isLong } from '../run-length.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { checkLedger } from './check-ledger.ts'
import { newLedger, repeatUnanswered, writeOn } from './ledger.ts'

const KILLS = Number(process.env.FAULT_KILLS ?? inRun({ short: 1, long: 30 }))
/** Installations that are killed at once. A start takes seconds of a processor, so the short run has one. */
const AT_ONCE = inRun({ short: 1, long: 2 })
const WRITERS = 8

/**
 * The engine of the test is closed while the service dies: a second open file would keep its locks and its log alive.
 */
async function inRuntime<T>(
  url: string,
  secret: string,
  work: (runtime: ReturnType<typeof runtimeAt>) => Promise<T>,
): Promise<T> {
  const runtime = runtimeAt(url, secret)
  try {
    return await work(runtime)
  } finally {
    await runtime.engine.close()
  }
}

async function killed(service: Service): Promise<void> {
  const gone = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await gone
}

it(`killed ${KILLS} times while it writes, the service has every answered write after each restart, and nothing by halves`, {
  timeout: 900_000,
}, async () => {
  const chance = chanceFrom(process.env.FAULT_SEED ?? (isLong ? randomBytes(4).toString('hex') : 'kith'))
  const installations = Array.from({ length: AT_ONCE }, () => killAgainAndAgain(chance, KILLS / AT_ONCE))
  const answered = (await Promise.all(installations)).reduce((sum, one) => sum + one, 0)
  expect(answered).toBeGreaterThan(KILLS * 10)
  console.log(`${process.env.TEST_ENGINE}: killed ${KILLS} times, ${answered} answered writes, none lost`)
})

/** One installation, so often. Tells how many writes were answered. */
async function killAgainAndAgain(chance: Chance, kills: number): Promise<number> {
  const { database, env, start: startWith } = await installation()
  // What writes is killed; reading takes no more than one thread here.
  const start = () => startWith({ READER_THREADS: '1' })
  const secret = env.SECRET ?? ''
  let service = await start()
  let answered = 0
  let settled = 0
  let done = 0
  for (let kill = 0; kill < kills; kill++) {
    const { workspace, api } = await inRuntime(database.url, secret, async (runtime) => {
      const workspace = await newWorkspace({ url: service.url, runtime })
      return { workspace, api: workspace.api }
    })
    const ledger = newLedger()
    let going = true
    const writers = Array.from({ length: WRITERS }, (_, writer) => writeOn(api, ledger, writer, () => going))
    const enough = 10 + chance.below(60)
    while (ledger.answered < enough) await new Promise((resolve) => setTimeout(resolve, 2))
    await killed(service)
    going = false
    await Promise.all(writers)
    expect(ledger.wrong).toEqual([])
    answered += ledger.answered

    service = await start()
    // Through the interface first: nothing has to be mended before it answers.
    const again = apiAt(service.url, api.token)
    expect(ledger.unanswered.length).toBeGreaterThan(0)
    settled += ledger.unanswered.length
    done += await repeatUnanswered(again, ledger)
    const total = (await again.get('/companies?per_page=1')).body.meta.total
    const made = await again.post('/companies/upsert', {
      name: 'After',
      match: { field: 'domains', value: ledger.sharedKeys[0] },
    })
    expect([200, 201]).toContain(made.status)
    await inRuntime(database.url, secret, async (runtime) => {
      await checkLedger(runtime, workspace, ledger)
      const live = await sql<{ live: number }>`select count(*) as live from companies
        where workspace_id = ${workspace.id} and deleted_at is null`.one(runtime.engine.db)
      expect(live?.live).toBe(total + (made.status === 201 ? 1 : 0))
    })
  }
  await service.stop()
  console.log(`${settled} writes without an answer were repeated with their keys; ${done} of them had been done before`)
  return answered
}
