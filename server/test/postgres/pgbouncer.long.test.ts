import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failedStart } from '../failed-start.ts'
import { type Installation, installation, newFolder } from '../installation.ts'
import { runKith } from '../run-kith.ts'
import { freePort } from '../setup/postgres.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { runProgram } from './debian-program.ts'

type Mode = 'session' | 'transaction' | 'statement'

/** Debian's pgbouncer in front of the database of an installation. */
async function pooled({ database }: Installation, mode: Mode): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(database.url)
  const listening = await freePort()
  const folder = newFolder()
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
`,
  )
  // It refuses to run as root.
  const uid = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'nobody'])) : process.getuid?.()
  await runProgram({
    path: '/usr/sbin/pgbouncer',
    args: [file],
    port: listening,
    ...(uid === undefined ? {} : { uid }),
  })
  return `postgres://${username}:${password}@127.0.0.1:${listening}${pathname}`
}

describe('behind pgbouncer', () => {
  it('in session mode the service reads and writes', async () => {
    const place = await installation('postgres')
    const url = await pooled(place, 'session')
    const services = [await place.start({ DATABASE_URL: url }), await place.start({ DATABASE_URL: url })]
    const runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
    const [first, second] = await Promise.all(
      services.map(async (service) => (await newWorkspace({ url: service.url, runtime })).api),
    )
    if (!first || !second) throw new Error('There are two services.')
    const written = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        (number % 2 === 0 ? first : second).post('/companies', { name: `Company ${number}` }),
      ),
    )
    expect(written.filter(({ status }) => status !== 201)).toEqual([])
    for (const api of [first, second]) {
      const { body } = await api.get('/companies?sort=-name')
      expect(body.meta.total).toBe(100)
    }
    await runtime.engine.close()
  })

  it.each(['transaction', 'statement'] as const)(
    'in %s mode nothing starts, and the message says what to do',
    async (mode) => {
      const place = await installation('postgres')
      const url = await pooled(place, mode)
      const advice =
        'A connection pooler shares the connections of PostgreSQL between clients (transaction or statement mode), and ' +
        'Kith needs a connection that stays the same. Set pool_mode = session in pgbouncer, or connect to PostgreSQL ' +
        'itself: Kith has its own pool (DATABASE_CONNECTIONS).'
      const { code, lines } = await failedStart({ DATABASE_URL: url })
      expect([code, lines]).toEqual([1, [expect.stringContaining(advice)]])
      const replica = await failedStart({ DATABASE_URL: place.database.url, DATABASE_READ_URL: url })
      expect([replica.code, replica.lines]).toEqual([1, [expect.stringContaining(`DATABASE_READ_URL: ${advice}`)]])
      const command = await runKith(['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'], {
        ...place.env,
        DATABASE_URL: url,
      })
      expect([command.code, command.stderr]).toEqual([1, expect.stringContaining(advice)])
    },
  )
})
