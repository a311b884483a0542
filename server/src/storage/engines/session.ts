export type DialectName = 'sqlite' | 'postgres'

export type Outcome = { rows: unknown[]; affected: number }

/** Something that runs one statement: a connection inside a transaction, or a whole pool. */
export type Session = {
  dialect: DialectName
  run(sql: string, parameters: readonly unknown[]): Promise<Outcome>
}
