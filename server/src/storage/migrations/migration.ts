import type { DialectName } from '../engines/sql.ts'

/** The SQL words in which the definitions of the two databases differ. */
export type Dialect = {
  database: DialectName
  /** Text, ordered by its bytes. */
  key: string
  /** A time, a boolean and the value `false` as better-auth writes them. */
  moment: string
  flag: string
  no: string
  /** The number of a row that other tables refer to. In SQLite it is the number by which the table itself is stored. */
  number: string
}

export function dialectOf(database: DialectName): Dialect {
  return database === 'sqlite'
    ? { database, key: 'text', moment: 'text', flag: 'integer', no: '0', number: 'integer primary key' }
    : {
        database,
        key: 'text collate "C"',
        moment: 'timestamptz',
        flag: 'boolean',
        no: 'false',
        number: 'bigint primary key',
      }
}

/** The statements of a text. */
export function statements(text: string): string[] {
  return text.split(/;\s*\n/).map((statement) => statement.trim())
}

export type Migration = { name: string; statements(dialect: Dialect): string[] }
