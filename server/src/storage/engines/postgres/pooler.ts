import pg from 'pg'

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
  const clients = [new pg.Client(url), new pg.Client(url)] as const
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
