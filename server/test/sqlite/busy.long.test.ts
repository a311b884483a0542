import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { sqlitePath } from '../../src/storage/engines/database-url.ts'
import { ownProcess } from '../own-service.ts'
import { spawnKith } from '../run-kith.ts'

/** Waits for its turn first: the service writes in the background too. */
const HOLD = `
  const { DatabaseSync } = require('node:sqlite')
  const connection = new DatabaseSync(process.argv[1], { timeout: 60_000 })
  connection.exec('begin immediate')
  console.log('locked')
  process.stdin.once('data', () => connection.exec('rollback')).once('data', () => process.exit())`

/** Another process that holds the write lock of a database until it is released. */
async function holdLock(path: string): Promise<{ release(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, ['-e', HOLD, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const failed = once(child, 'close').then(() => Promise.reject(new Error('The lock was not taken.')))
  if (child.stdout) await Promise.race([once(child.stdout, 'data'), failed])
  return {
    async release() {
      child.stdin?.write('go')
      await once(child, 'close')
    },
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('writes wait while another process writes, and are answered 503 if it takes too long', async () => {
  const own = await ownProcess()
  const { api, slug } = await own.workspace()
  const path = sqlitePath(own.env.DATABASE_URL ?? '')
  const post = (name: string) => api.post('/companies', { name })

  const short = await holdLock(path)
  const waiting = post('Waits')
  const command = spawnKith(['workspace', 'resume', '--workspace', slug], own.env)
  await pause(6000)
  // The event loop is not blocked meanwhile.
  expect((await api.get('/companies')).status).toBe(200)
  await short.release()
  expect((await waiting).status).toBe(201)
  expect(await command).toMatchObject({ code: 0 })

  const long = await holdLock(path)
  const [refused, failed] = await Promise.all([
    post('Refused'),
    spawnKith(['workspace', 'resume', '--workspace', slug], own.env),
  ])
  await long.release()
  expect(refused.status, refused.text).toBe(503)
  expect(refused.headers.get('Retry-After')).toBe('1')
  expect(failed.code).toBe(1)
  expect(failed.stderr).toBe('Another process is writing to the database. Try again in a moment.\n')

  expect((await post('Again')).status).toBe(201)
  const { body } = await api.get('/companies?sort=created_at')
  expect(body.data.map((one: { attributes: { name: string } }) => one.attributes.name)).toEqual(['Waits', 'Again'])
})
