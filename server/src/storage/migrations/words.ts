import type { DialectName } from '../engines/session.ts'

/** The few words in which the two databases' definitions differ. */
export type Words = {
  dialect: DialectName
  /** Text whose order is that of its bytes. */
  key: string
  /** A time and a yes-or-no as better-auth writes them. */
  moment: string
  flag: string
  /** The first column of a record table: SQLite numbers its rows, the search index refers to them. */
  rowNumber: string
}

export function wordsOf(dialect: DialectName): Words {
  return dialect === 'sqlite'
    ? { dialect, key: 'text', moment: 'text', flag: 'integer', rowNumber: 'seq integer primary key,' }
    : { dialect, key: 'text collate "C"', moment: 'timestamptz', flag: 'boolean', rowNumber: '' }
}

export type Migration = { name: string; statements(words: Words): string[] }
