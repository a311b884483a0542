import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { Session } from './session.ts'

/** A query builder that speaks through one session. Transactions belong to the engine, so the builder begins none. */
export function kyselyOver(session: Session): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SessionDialect(session) })
}

class SessionDialect implements Dialect {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  createAdapter(): DialectAdapter {
    return this.#session.dialect === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()
  }

  createDriver(): Driver {
    return new SessionDriver(this.#session)
  }

  createQueryCompiler(): QueryCompiler {
    return this.#session.dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()
  }

  createIntrospector(db: Kysely<unknown>) {
    return this.#session.dialect === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db)
  }
}

class SessionDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(session: Session) {
    this.#connection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, affected } = await session.run(query.sql, query.parameters)
        // Kysely types the rows by the query that was built; the driver cannot know them.
        return { rows: rows as R[], numAffectedRows: BigInt(affected) }
      },
      // biome-ignore lint/correctness/useYield: streaming is part of Kysely's interface and nothing here asks for it.
      async *streamQuery(): AsyncIterableIterator<never> {
        throw new Error('Streaming is not used; lists are read in pages.')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions are begun by the engine.')
  }

  async commitTransaction(): Promise<void> {
    throw new Error('Transactions are ended by the engine.')
  }

  async rollbackTransaction(): Promise<void> {
    throw new Error('Transactions are ended by the engine.')
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
