import type { Db } from './engine.ts'
import type { DialectName } from './session.ts'

/** A statement or a part of one, with what is to be bound to it. `Row` is what it selects. */
export type RawBuilder<Row> = {
  readonly strings: readonly string[]
  /** Between the strings: parts of the statement, and values to bind. */
  readonly values: readonly unknown[]
  execute(db: Db): Promise<{ rows: Row[] }>
}

/** What a condition selects: true or false as the database has it. */
export type SqlBool = boolean | 0 | 1

/**
 * SQL as a template. What is put into it is bound, never written into the text, unless it is a piece of SQL itself. A
 * filter is written anew for every request, so that this is kept to the joining of strings.
 */
export function sql<Row = unknown>(strings: readonly string[], ...values: readonly unknown[]): RawBuilder<Row> {
  return new Piece(strings, values)
}

/** Any number of pieces or values, with a separator between them. */
sql.join = (items: readonly unknown[], separator: RawBuilder<unknown> = COMMA): RawBuilder<unknown> => {
  if (items.length === 0) return new Piece([''], [])
  const between = separator.strings.length === 1 ? (separator.strings[0] ?? '') : undefined
  if (between === undefined) throw new Error('A separator holds no values.')
  const strings = Array<string>(items.length + 1).fill(between)
  strings[0] = ''
  strings[items.length] = ''
  return new Piece(strings, items)
}

/** Text that is ours, as it stands. */
sql.raw = (text: string): RawBuilder<unknown> => new Piece([text], [])

/** A number or a name of ours, written into the text, so that the database knows its type. */
sql.lit = (value: number | string): RawBuilder<unknown> =>
  sql.raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)

/** The name of a column, perhaps behind that of its table. */
sql.ref = (name: string): RawBuilder<unknown> => named(name)

sql.table = (name: string): RawBuilder<unknown> => named(name)

/**
 * A value that SQLite shall not look at while it plans. It looks at bounds (`limit ?`) and patterns (`like ?`), and then
 * plans the statement anew each time that another value is bound: that takes longer than most of the reads.
 */
sql.unseen = (value: string | number): Unseen => new Unseen(value)

export type Statement = { text: string; parameters: unknown[] }

export function statementOf(piece: RawBuilder<unknown>, dialect: DialectName): Statement {
  const statement: Statement = { text: '', parameters: [] }
  write(piece, statement, dialect === 'postgres')
  return statement
}

class Unseen {
  readonly value: string | number

  constructor(value: string | number) {
    this.value = value
  }
}

class Piece<Row> implements RawBuilder<Row> {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  async execute({ session }: Db): Promise<{ rows: Row[] }> {
    const { text, parameters } = statementOf(this, session.dialect)
    const { rows } = await session.run(text, parameters)
    // The caller names the row that its own statement selects.
    return { rows: rows as Row[] }
  }
}

const COMMA = sql.raw(', ')

function write({ strings, values }: RawBuilder<unknown>, statement: Statement, numbered: boolean): void {
  statement.text += strings[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof Piece) write(value, statement, numbered)
    else {
      const unseen = value instanceof Unseen
      if (!unseen) refuseForeign(value)
      const count = statement.parameters.push(unseen ? value.value : value)
      statement.text += numbered ? `$${count}` : unseen ? '+?' : '?'
    }
    statement.text += strings[i + 1]
  }
}

/** A piece of another builder would be bound as a value, and the database would only say that it cannot be. */
function refuseForeign(value: unknown): void {
  if (typeof value === 'object' && value !== null && 'toOperationNode' in value)
    throw new Error('A piece of SQL was written with another builder than storage/engines/sql.ts.')
}

/** The names are those of our own tables and columns: few, and each is made once. */
const names = new Map<string, RawBuilder<unknown>>()

function named(name: string): RawBuilder<unknown> {
  let piece = names.get(name)
  if (!piece) {
    const parts = name.split('.').map((part) => `"${part.replaceAll('"', '""')}"`)
    piece = sql.raw(parts.join('.'))
    names.set(name, piece)
  }
  return piece
}
