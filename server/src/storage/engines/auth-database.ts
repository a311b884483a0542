import type { DatabaseConnection, Dialect, Driver } from 'kysely'
import type { Engine } from './engine.ts'
import type { Session } from './sql.ts'

/** The database in the form that better-auth takes: Kysely. Its statements run one by one. */
export async function authDatabase({ single, dialect }: Engine) {
  // Large, like better-auth itself, so it is loaded with it.
  const kysely = await import('kysely')
  const [Adapter, QueryCompiler, Introspector] =
    dialect === 'sqlite'
      ? [kysely.SqliteAdapter, kysely.SqliteQueryCompiler, kysely.SqliteIntrospector]
      : [kysely.PostgresAdapter, kysely.PostgresQueryCompiler, kysely.PostgresIntrospector]
  const spoken: Dialect = {
    createAdapter: () => new Adapter(),
    createDriver: () => driverOver(single.session),
    createQueryCompiler: () => new QueryCompiler(),
    createIntrospector: (db) => new Introspector(db),
  }
  return { db: new kysely.Kysely<unknown>({ dialect: spoken }), type: dialect, transaction: false }
}

/** Transactions belong to the engine, so the driver begins none. */
function driverOver(session: Session): Driver {
  const connection: DatabaseConnection = {
    async executeQuery(query) {
      const { rows, affected } = await session.run(query.sql, query.parameters)
      // Kysely types the rows by the query that was built; the driver cannot know them.
      return { rows: rows as never[], numAffectedRows: BigInt(affected) }
    },
    streamQuery: unused,
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: unused,
    commitTransaction: unused,
    rollbackTransaction: unused,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

function unused(): never {
  throw new Error('better-auth neither streams nor begins transactions here.')
}
