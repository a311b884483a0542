import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, loadEmbeddedPostgres } from '../setup/postgres.ts'
import { ask } from './server-pair.ts'

/** A PostgreSQL server of one's own, which may be killed. */
export type OwnServer = {
  url: string
  /** As the machine does when it runs out of memory: at once, without a word. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startOwnServer(): Promise<OwnServer> {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'kith-killed-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const databaseDir = join(folder, 'data')
  const postgres = new EmbeddedPostgres({
    databaseDir,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [],
    onLog: () => {},
  })
  await postgres.initialise()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  // Its own word for being ready is not printed after a recovery in every case, so that readiness is asked.
  const start = async () => {
    for (let ready = false; !ready; ) {
      const starting = postgres.start().catch(() => 'failed')
      for (let failed: unknown; !ready && failed !== 'failed'; ) {
        failed = await Promise.race([starting, new Promise((resolve) => setTimeout(resolve, 50))])
        ready = await ask(url, 'select 1').then(
          () => true,
          () => false,
        )
      }
    }
  }
  await start()
  return {
    url,
    start,
    async kill() {
      const [line] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
      const pid = Number(line)
      process.kill(pid, 'SIGKILL')
      while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
