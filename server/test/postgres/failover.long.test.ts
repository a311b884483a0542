import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { isInUse } from '../../src/storage/engines/postgres/hosts.ts'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { ask, startServerPair } from './server-pair.ts'

const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The log lines of the requests that were answered in a wrong way. */
function linesOf(output: string, wrong: string[]): string {
  const ids = wrong.map((answer) => /"request_id":"([^"]+)"/.exec(answer)?.[1] ?? answer)
  return output
    .split('\n')
    .filter((line) => ids.some((id) => line.includes(id)))
    .join('\n')
}

it('of several hosts the one that accepts writes is used, and after a failover the next one, without a restart', async () => {
  const pair = await startServerPair()
  whenFileEnds(() => pair.stop())
  // The replica comes first: a connection to it is made only if its kind does not matter.
  const hosts = [pair.replica, pair.primary].map((url) => new URL(url).host).join()
  const url = `postgres://postgres:postgres@${hosts}/postgres?target_session_attrs=read-write`
  const secret = randomBytes(32).toString('hex')
  const service = await startService({ DATABASE_URL: url, SECRET: secret, ...noLimits })
  whenFileEnds(() => service.stop())
  const runtime = runtimeAt(url, secret)
  const workspace = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  const { api } = workspace
  const readiness = () => fetch(`${service.url}/readyz`)
  expect((await readiness()).status).toBe(200)
  // The single connections of commands go the same way.
  const command = openEngine({ url, connections: 1 }, { writes: true })
  await command.checkServer()
  expect(await isInUse(url)).toBe(true)
  await command.close()

  const ledger = newLedger()
  let going = true
  const writers = Array.from({ length: 4 }, (_, writer) => writeOn(api, ledger, writer, () => going))
  await until(async () => ledger.answered >= 40)
  await ask(pair.primary, 'alter system set default_transaction_read_only = on')
  await ask(pair.primary, 'select pg_reload_conf()')
  await until(async () => (await readiness()).status === 503)
  expect(await (await readiness()).text()).toContain('read-only')
  const refused = await api.post('/companies', { name: 'Acme' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(refused.body.message).toContain('read-only')

  await pair.caughtUp()
  await ask(pair.replica, 'select pg_promote()')
  const before = ledger.answered
  await until(async () => ledger.answered >= before + 40)
  await until(async () => (await readiness()).status === 200)
  // Nothing is read from the former primary, which still answers.
  const connected = `select pid from pg_stat_activity where application_name = 'kith'`
  await until(async () => (await ask(pair.primary, connected)).length === 0)
  going = false
  await Promise.all(writers)
  expect(ledger.wrong, linesOf(service.output(), ledger.wrong)).toEqual([])
  expect(ledger.refused).toBeGreaterThan(0)
  const after = runtimeAt(url, secret)
  await checkLedger(after, workspace, ledger)
  await after.engine.close()
})

it('a server that becomes read-only says so to writers and in /readyz, and heals by itself', async () => {
  const pair = await startServerPair()
  whenFileEnds(() => pair.stop())
  const secret = randomBytes(32).toString('hex')
  const service = await startService({ DATABASE_URL: pair.primary, SECRET: secret, ...noLimits })
  whenFileEnds(() => service.stop())
  const runtime = runtimeAt(pair.primary, secret)
  const { api } = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  const readiness = () => fetch(`${service.url}/readyz`)
  const set = async (value: 'on' | 'off') => {
    await ask(pair.primary, `alter system set default_transaction_read_only = ${value}`)
    await ask(pair.primary, 'select pg_reload_conf()')
  }
  expect((await readiness()).status).toBe(200)
  await set('on')
  await until(async () => (await readiness()).status === 503)
  expect(await (await readiness()).text()).toContain('read-only')
  const refused = await api.post('/companies', { name: 'Acme' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(refused.body.message).toContain('read-only')
  // Reads go on, except for the feed: to number new changes is a write.
  expect((await api.get('/companies')).status).toBe(200)
  const feed = await api.get('/changes?cursor=now')
  expect([feed.status, feed.body.message]).toEqual([503, refused.body.message])
  await set('off')
  await until(async () => (await readiness()).status === 200)
  expect((await api.post('/companies', { name: 'Acme' })).status).toBe(201)
})
