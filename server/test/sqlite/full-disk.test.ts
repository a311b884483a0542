import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sqlitePath } from '../../src/storage/engines/database-url.ts'
import { apiAt } from '../api.ts'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { type Installation, installation } from '../installation.ts'
import { serverFile } from '../setup/bundle.ts'
import { freePort } from '../setup/postgres.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'

const BLOCK = 1024

/**
 * A service for which every file ends at a size, as if the disk did: the operating system refuses to write on, and the
 * signal that it sends along is ignored.
 */
async function startWithin({ env }: Installation, bytes: number) {
  const port = await freePort()
  const limits = `trap '' XFSZ; ulimit -f ${Math.floor(bytes / BLOCK)}; exec "$0" "$@"`
  const child = spawn('bash', ['-c', limits, process.execPath, serverFile('main'), 'serve'], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'silent', ...env },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  const ready = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error('The service did not start.')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return {
    url,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      return (await gone)[0]
    },
  }
}

it('when the disk is full, writes get a clear 503, reads go on, nothing is damaged, and with room it writes again', async () => {
  const place = await installation()
  const runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: (await place.start()).url, runtime })
  await runtime.engine.close()
  const path = sqlitePath(place.database.url)
  const service = await startWithin(place, 2 * 1024 * 1024)
  const api = apiAt(service.url, workspace.api.token)
  const ledger = newLedger()
  await writeOn(api, ledger, 0, () => ledger.refused < 1 && ledger.answered < 20_000)
  expect(ledger.refused).toBeGreaterThan(0)
  expect(ledger.wrong).toEqual([])
  // Now it stays full: each write is refused in the same clear way, and reads are still answered.
  const text = 'x'.repeat(60_000)
  let refused = 0
  for (let attempt = 0; attempt < 60 && refused < 20; attempt++) {
    const answer = await api.post('/notes', { title: 'Large', custom_fields: { body: text } })
    if (answer.status === 201) continue
    refused++
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({ message: expect.stringMatching(/the disk that holds the database/i) })
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    const read = await api.get('/companies?per_page=5&sort=name')
    expect(read.status).toBe(200)
    expect((await api.get(`/companies/${read.body.data[0].id}`)).status).toBe(200)
  }
  expect(refused).toBe(20)
  const unready = await fetch(`${service.url}/readyz`)
  expect([unready.status, (await unready.json()).reason]).toEqual([
    503,
    expect.stringMatching(/the disk that holds the database/i),
  ])
  await service.stop()

  const roomy = await place.start()
  const again = apiAt(roomy.url, workspace.api.token)
  expect((await again.post('/notes', { title: 'Large', custom_fields: { body: text } })).status).toBe(201)
  await roomy.stop()
  const file = new DatabaseSync(path, { readOnly: true })
  expect(file.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  file.close()
  const after = runtimeAt(place.database.url, place.env.SECRET ?? '')
  await checkLedger(after, workspace, ledger)
  await after.engine.close()
})
