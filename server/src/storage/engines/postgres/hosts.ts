import { existsSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { type HostKind, type Hosts, hostsIn, isPostgres, sqlitePath } from '../database-url.ts'
import { errcodeOf, existingFile } from '../sqlite/file.ts'
import { codeOf, READ_ONLY, StorageTrouble } from '../storage-trouble.ts'
import { OUT_OF_REACH } from './errors.ts'

/** How long one host may take to report its role. The pool gives a connection three times as long. */
const HOST_MS = 5000

/** So much longer a host may take than a later one that has the role; and how soon a standby is asked again. */
const MOMENT_MS = 1000

/** How long the result is cached: connections that are opened together check once. */
const FOUND_MS = 1000

/** How to connect: `Client` finds the host, each time it connects. */
export type ConnectionSettings = { connectionString: string; Client: typeof pg.Client }

export function connectingTo(url: string): ConnectionSettings {
  const hosts = hostsIn(url)
  const { urls, kind } = hosts
  if (urls.length === 1 && kind === 'any') return { connectionString: urls[0], Client: pg.Client }
  let found: { host: Promise<Place>; at: number } | undefined

  function find(): Promise<Place> {
    if (found && performance.now() - found.at < FOUND_MS) return found.host
    const host = findHost(hosts)
    const mine = { host, at: performance.now() }
    found = mine
    host.catch(() => {
      if (found === mine) found = undefined
    })
    return host
  }

  class HostClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
      // The driver connects to this host and port. All other settings are the same for all hosts.
      const connecting = find().then(async (place) => {
        Object.assign(this, place)
        await super.connect()
        return this
      })
      if (!callback) return connecting
      connecting.then(
        () => callback(null as never, this as never),
        (error) => callback(error as never, undefined as never),
      )
      return undefined
    }
  }
  return { connectionString: urls[0], Client: HostClient }
}

type Place = { host: string; port: number }

/** Without a problem, it has the required role. */
type HostAnswer = { place: Place; problem?: string; takesNoWrites?: true }

/**
 * The first host with the required role. All are asked at once. A host that hangs does not hold up a later one that has
 * the role, or takes over meanwhile; one that is only slower does, so that all nodes find the same host.
 */
async function findHost({ urls, kind }: Hosts): Promise<Place> {
  const later = Promise.withResolvers<HostAnswer>()
  let hanging = urls.length

  async function askAgain(url: string, first: HostAnswer): Promise<void> {
    for (let answer = first; ; answer = await askHost(url, kind)) {
      await setTimeout(MOMENT_MS, undefined, { ref: false })
      if (!answer.problem) return later.resolve(answer)
      if (!answer.takesNoWrites || hanging === 0) return
    }
  }

  const asked = urls.map(async (url) => {
    const answer = await askHost(url, kind)
    hanging--
    void askAgain(url, answer)
    return answer
  })
  const why: string[] = []
  let isReadOnly = false
  for (const answer of asked) {
    const { place, problem, takesNoWrites = false } = await Promise.race([answer, later.promise])
    if (problem === undefined) return place
    isReadOnly ||= takesNoWrites
    why.push(`${place.host}:${place.port} ${problem}`)
  }
  const error = new Error(`No host of the database can be used (target_session_attrs=${kind}): ${why.join('; ')}`)
  if (isReadOnly) throw new StorageTrouble('read-only', READ_ONLY, { cause: error })
  // The code of an unreachable server: it is waited for.
  throw Object.assign(error, { code: 'ECONNREFUSED' })
}

async function askHost(url: string, kind: HostKind): Promise<HostAnswer> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: HOST_MS, query_timeout: HOST_MS })
  const place = { host: client.host, port: client.port }
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean; readonly: string }>(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as readonly`,
    )
    const isStandby = rows[0]?.standby !== false
    if (kind !== 'any' && isStandby) return { place, problem: 'is a standby', takesNoWrites: true }
    if (kind === 'read-write' && rows[0]?.readonly !== 'off')
      return { place, problem: 'is read-only', takesNoWrites: true }
    return { place }
  } catch (error) {
    return { place, problem: error instanceof Error ? error.message || 'cannot be reached' : String(error) }
  } finally {
    client.end().catch(() => {})
  }
}

/** A connection that is used and silent for so long is checked: a network that is cut tells neither side. */
const SILENT_MS = 5000

/**
 * Ends a connection whose server is out of reach while a statement waits on it. The system would repeat the bytes for a
 * quarter of an hour, and the connection would be taken all that time.
 */
export function endWhenLost({ connection: { stream } }: pg.Client, isUsed: () => boolean): void {
  if (!(stream instanceof Socket)) return
  stream.on('timeout', async () => {
    const { remoteAddress: host, remotePort: port, bytesRead } = stream
    // The timer of an idle connection starts with its next statement. A socket of this machine has no address.
    if (!isUsed() || host === undefined || port === undefined) return
    const isThere = (await isReachable(host, port)) || (await isReachable(host, port))
    if (isThere || !isUsed() || stream.bytesRead !== bytesRead) stream.setTimeout(SILENT_MS)
    else stream.destroy(Object.assign(new Error('The server of the database is out of reach.'), { code: 'ETIMEDOUT' }))
  })
  stream.setTimeout(SILENT_MS)
}

/** Whether the machine answers, be it with a refusal: then it also ends the connections that it does not know. */
function isReachable(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: HOST_MS })
    const answered = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => answered(true))
    socket.once('timeout', () => answered(false))
    socket.once('error', (error) => answered(!OUT_OF_REACH.has(codeOf(error))))
  })
}

/** Whether a service or a command has the database open. To be asked before it is opened here. */
export function isInUse(url: string): Promise<boolean> | boolean {
  return isPostgres(url) ? isPostgresInUse(url) : isSqliteInUse(sqlitePath(url))
}

const BUSY = 5

/** Only the last connection can leave the write-ahead log. The next one that writes enters it again. */
function isSqliteInUse(path: string): boolean {
  if (!existsSync(path)) return false
  const connection = new DatabaseSync(existingFile(path), { timeout: 0 })
  try {
    connection.exec('pragma journal_mode = delete')
    return false
  } catch (error) {
    if (errcodeOf(error) === BUSY) return true
    throw error
  } finally {
    connection.close()
  }
}

/** A closed connection is listed until its process on the server has ended, which takes a moment. */
const ENDING_MS = 5000

const ASK_AGAIN_MS = 50

async function isPostgresInUse(url: string): Promise<boolean> {
  const { Client, connectionString } = connectingTo(url)
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const deadline = Date.now() + ENDING_MS
    while (await hasOthers(client)) {
      if (Date.now() > deadline) return true
      await setTimeout(ASK_AGAIN_MS)
    }
    return false
  } finally {
    await client.end()
  }
}

async function hasOthers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'kith' and pid <> pg_backend_pid() limit 1`,
  )
  return rows.length > 0
}

const PID = 'select pg_backend_pid() as pid'

/** How to connect instead. */
const ADVICE =
  'A connection pooler shares the connections of PostgreSQL between clients (transaction or statement mode), and Kith ' +
  'needs a connection that stays the same. Set pool_mode = session in pgbouncer, or connect to PostgreSQL itself: Kith ' +
  'has its own pool (DATABASE_CONNECTIONS).'

/** The address leads to a pooler that Kith cannot work with. */
export class SharedConnections extends Error {
  constructor() {
    super(ADVICE)
  }
}

/**
 * Refuses a pooler that gives each transaction any connection of the server. Prepared statements and settings belong to
 * a connection: under such a pooler a statement could run under the name of another one.
 */
export async function refuseSharedConnections(url: string): Promise<void> {
  const { Client, connectionString } = connectingTo(url)
  const clients = [new Client({ connectionString }), new Client({ connectionString })] as const
  try {
    const [first, second] = clients
    for (const client of clients) await client.connect()
    const pids = [await pidOf(first), await pidOf(second), await pidOf(first)]
    // A pooler gives out the connection that was used last, or each in turn.
    if (pids[0] === pids[1] || pids[0] !== pids[2]) throw new SharedConnections()
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

async function pidOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(PID)
  return rows[0]?.pid
}
