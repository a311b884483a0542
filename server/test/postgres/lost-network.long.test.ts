import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { testDatabase } from '../engine.ts'
import { whenFileEnds } from '../when-file-ends.ts'

/** Forwards connections. When it is stopped, and its short queue is full, it is as silent as a network that is cut. */
const forwarding = (port: string) => `
  const { connect, createServer } = require('node:net')
  createServer((client) => {
    const server = connect(${port}, '127.0.0.1')
    for (const socket of [client, server]) {
      socket.on('error', () => {})
      socket.on('close', () => [client, server].map((one) => one.destroy()))
    }
    client.pipe(server).pipe(client)
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`

async function startNetwork(database: URL) {
  const child = spawn(process.execPath, ['-e', forwarding(database.port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  whenFileEnds(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const port = Number(String(line))
  const through = new URL(database)
  through.port = String(port)
  return {
    url: through.href,
    async cut() {
      child.kill('SIGSTOP')
      // More than the queue takes: the system answers none of the later ones.
      const queued = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
      whenFileEnds(() => queued.map((socket) => socket.destroy()))
      await setTimeout(500)
      expect(queued.filter(({ readyState }) => readyState === 'opening')).not.toEqual([])
    },
    join: () => child.kill('SIGCONT'),
  }
}

it('a statement that waits for a server out of reach is given up, and one that only takes long is not', async () => {
  const database = await testDatabase()
  const network = await startNetwork(new URL(database.url))
  const engine = openEngine({ url: network.url, connections: 1 }, { writes: true })
  const slow = sql<number>`select count(*) from pg_sleep(20)`
  expect(await engine.transaction((inside) => slow.count(inside))).toBe(1)
  await network.cut()
  const lost = await engine.transaction((inside) => slow.count(inside)).catch((error: unknown) => error)
  expect(lost).toMatchObject({ code: 'ETIMEDOUT' })
  expect(engine.violation(lost)).toBe('busy')
  network.join()
  await expect
    .poll(
      () =>
        engine
          .ping()
          .then(() => true)
          .catch(() => false),
      { timeout: 30_000 },
    )
    .toBe(true)
  await engine.close()
  await database.drop()
}, 120_000)
