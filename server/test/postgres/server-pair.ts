import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, loadEmbeddedPostgres } from '../setup/postgres.ts'

export type ServerPair = {
  primary: string
  replica: string
  /** Keeps the replica from repeating what the primary writes, or lets it go on. */
  setReplay(state: 'pause' | 'resume'): Promise<void>
  /** Waits until the replica has repeated everything. */
  caughtUp(): Promise<void>
  stopReplica(): Promise<void>
  stop(): Promise<void>
}

/** A primary and its streaming replica: two real servers. */
export async function startServerPair(): Promise<ServerPair> {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'kith-pair-'))
  chmodSync(folder, 0o755)
  const server = (name: string, port: number, flags: string[]) =>
    new EmbeddedPostgres({
      databaseDir: join(folder, name),
      user: 'postgres',
      password: 'postgres',
      port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-c', 'fsync=off', ...flags],
      onLog: () => {},
    })
  const ports = [await freePort(), await freePort()] as const
  const [primary, replica] = ports.map((port) => `postgres://postgres:postgres@127.0.0.1:${port}/postgres`)
  if (primary === undefined || replica === undefined) throw new Error('There are two ports.')
  const first = server('primary', ports[0], [])
  await first.initialise()
  execFileSync('cp', ['-a', join(folder, 'primary'), join(folder, 'replica')])
  writeFileSync(join(folder, 'replica', 'standby.signal'), '')
  await first.start()
  const upstream = `host=127.0.0.1 port=${ports[0]} user=postgres password=postgres`
  const second = server('replica', ports[1], ['-c', `primary_conninfo=${upstream}`])
  // It waits for a line that only a primary prints and fails when the server stops, so that readiness is asked here.
  second.start().catch(() => {})
  while (!(await answers(replica))) await new Promise((resolve) => setTimeout(resolve, 50))
  let replicaRuns = true
  const stopReplica = async () => {
    if (replicaRuns) await second.stop()
    replicaRuns = false
  }
  return {
    primary,
    replica,
    stopReplica,
    setReplay: async (state) => void (await ask(replica, `select pg_wal_replay_${state}()`)),
    async caughtUp() {
      const [row] = await ask(primary, 'select pg_current_wal_lsn()::text as lsn')
      const isThere = async () =>
        (await ask(replica, `select pg_last_wal_replay_lsn() >= '${row?.lsn}'::pg_lsn as there`))[0]?.there === true
      while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    async stop() {
      await stopReplica()
      await first.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(server: string): Promise<boolean> {
  return ask(server, 'select 1').then(
    () => true,
    () => false,
  )
}

export async function ask(server: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
