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
}

export function dialectOf(database: DialectName): Dialect {
  return database === 'sqlite'
    ? { database, key: 'text', moment: 'text', flag: 'integer', no: '0' }
    : {
        database,
        key: 'text collate "C"',
        moment: 'timestamptz',
        flag: 'boolean',
        no: 'false',
      }
}

/** The statements of a text. */
export function statements(text: string): string[] {
  return text.split(/;\s*\n/).map((statement) => statement.trim())
}

export type Migration = { name: string; statements(dialect: Dialect): string[] }
