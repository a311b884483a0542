import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { testDatabase } from '../engine.ts'
import { ownService } from '../own-service.ts'
import { whenFileEnds } from '../when-file-ends.ts'

const CLOSE_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`

it('the service connects again after the database has closed all its connections', async () => {
  const { workspace: create, runtime } = await ownService()
  const workspace = await create()
  const list = () => workspace.api.get('/companies').then(({ status }) => status)
  expect(await list()).toBe(200)
  const { rows } = await runtime.engine.transaction(async ({ session }) => session.run(CLOSE_OTHERS, []))
  expect(rows.length).toBeGreaterThan(0)
  // A request that arrives before the service notices is told to try again.
  let status = await list()
  while (status === 503) status = await list()
  expect(status).toBe(200)
})

it('a write to a server that became read-only is 503, and the next ones connect again', async () => {
  const { workspace: create, runtime } = await ownService()
  const { api } = await create()
  const { transaction } = runtime.engine
  const setReadOnly = (value: 'on' | 'off') =>
    transaction(async ({ session }) => {
      await session.run('set transaction read write', [])
      await session.run(
        `do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`,
        [],
      )
    })
  await setReadOnly('on')
  // Connections that are opened from now on are read-only.
  await transaction(async ({ session }) => session.run(CLOSE_OTHERS, []))
  // The first answers may be those of the closed connections.
  for (let times = 0; times < 5; times++) {
    const refused = await api.post('/companies', { name: 'Acme' })
    expect([refused.status, refused.headers.get('retry-after')], refused.text).toEqual([503, '1'])
  }
  await setReadOnly('off')
  let { status } = await api.post('/companies', { name: 'Acme' })
  while (status === 503) ({ status } = await api.post('/companies', { name: 'Acme' }))
  expect(status).toBe(201)
})

it('statements that share a connection get a new one, too, when a write finds a server that became read-only', async () => {
  const database = await testDatabase()
  const engine = openEngine({ url: database.url, connections: 1 }, { writes: true })
  const connection = () => sql`select pg_backend_pid()`.count(engine.short)
  const before = await connection()
  expect(await connection()).toBe(before)
  const write = engine.transaction(async ({ session }) => {
    await session.run('set transaction read only', [])
    await session.run('create table written (id integer)', [])
  })
  await expect(write).rejects.toThrow('read-only')
  expect(await connection()).not.toBe(before)
  await engine.close()
  await database.drop()
})

it('idle connections are kept alive', async () => {
  const keeping = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const database = await testDatabase()
  const engine = openEngine({ url: database.url, connections: 1 }, { writes: true })
  await engine.ping()
  expect(keeping).toHaveBeenCalledWith(true, 30_000)
  keeping.mockRestore()
  await engine.close()
  await database.drop()
})

it('a host that hangs does not hold up the host after it', async () => {
  const hanging: Socket[] = []
  const silent = createServer((socket) => hanging.push(socket.resume())).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  whenFileEnds(() => silent.close())
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const database = await testDatabase()
  const { username, password, host, pathname } = new URL(database.url)
  const url = `postgres://${username}:${password}@127.0.0.1:${port},${host}${pathname}?target_session_attrs=read-write`
  const engine = openEngine({ url, connections: 1 }, { writes: true })
  await engine.ping()
  // It is still given time to answer.
  expect(hanging.map(({ readyState }) => readyState)).toEqual(['open'])
  await engine.close()
  await database.drop()
})
