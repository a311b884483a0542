import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { startService } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { startOwnServer } from './own-server.ts'

const ROUNDS = 3
const WRITERS = 8
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

it('PostgreSQL killed and restarted: 503 with Retry-After meanwhile, no answered write lost, and the service heals by itself', async () => {
  const server = await startOwnServer()
  const secret = randomBytes(32).toString('hex')
  const service = await startService({ DATABASE_URL: server.url, SECRET: secret, ...noLimits })
  let answered = 0
  let refused = 0
  for (let round = 0; round < ROUNDS; round++) {
    const runtime = runtimeAt(server.url, secret)
    const workspace = await newWorkspace({ url: service.url, runtime })
    await runtime.engine.close()
    const { api } = workspace
    expect(service.process.exitCode, service.output()).toBeNull()
    const ledger = newLedger()
    let going = true
    const writers = Array.from({ length: WRITERS }, (_, writer) => writeOn(api, ledger, writer, () => going))
    while (ledger.answered < 40) await new Promise((resolve) => setTimeout(resolve, 2))
    await server.kill()
    const before = ledger.answered
    // While it is away, everybody gets the same clear answer, reads and readiness too.
    for (const path of ['/companies', '/user']) {
      const answer = await api.get(path)
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
      expect(answer.body).toEqual({ message: 'The database is not available at the moment. Retry shortly.' })
    }
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    await server.start()
    while (ledger.answered < before + 40) await new Promise((resolve) => setTimeout(resolve, 2))
    going = false
    await Promise.all(writers)
    expect(ledger.wrong, service.output().slice(-5000)).toEqual([])
    expect(ledger.refused).toBeGreaterThan(0)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    const after = runtimeAt(server.url, secret)
    await checkLedger(after, workspace, ledger)
    await after.engine.close()
    answered += ledger.answered
    refused += ledger.refused
  }
  console.log(`postgres killed ${ROUNDS} times: ${answered} answered writes, none lost; ${refused} answers were 503`)
  await service.stop()
  await server.stop()
})
