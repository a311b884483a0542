/** The connection or transaction that runs statements. */
type Db = { session: Session }

/** A statement or a part of one, with the values to bind. `Row` is the type of its rows. */
export type Sql<Row> = {
  readonly strings: readonly string[]
  /** Between the strings: parts of the statement, and values to bind. */
  readonly values: readonly unknown[]
  /** All rows. */
  all(db: Db): Promise<Row[]>
  /** The first row. */
  one(db: Db): Promise<Row | undefined>
  /** Of a statement that selects one column: its values, of the type `Row`. */
  column(db: Db): Promise<Row[]>
  /** The first of them. */
  value(db: Db): Promise<Row | undefined>
  /** The number that a statement selects; 0 without a row. */
  count(db: Db): Promise<number>
  /** Whether there is any row. */
  exists(db: Db): Promise<boolean>
  /** Returns the number of rows that were inserted, updated or deleted. */
  run(db: Db): Promise<number>
}

/** The result of a condition: true or false as the database represents it. */
export type SqlBool = boolean | 0 | 1

/**
 * SQL as a template. Values are bound as parameters, never written into the text, unless they are pieces of SQL
 * themselves. Every request builds its filter, so this only joins strings.
 */
export function sql<Row = unknown>(strings: readonly string[], ...values: readonly unknown[]): Sql<Row> {
  return new Piece(strings, values)
}

/** Any number of pieces or values, with a separator between them. */
sql.join = (items: readonly unknown[], separator: Sql<unknown> = COMMA): Sql<unknown> => {
  if (items.length === 0) return new Piece([''], [])
  const between = separator.strings.length === 1 ? (separator.strings[0] ?? '') : undefined
  if (between === undefined) throw new Error('A separator holds no values.')
  const strings = Array<string>(items.length + 1).fill(between)
  strings[0] = ''
  strings[items.length] = ''
  return new Piece(strings, items)
}

/** The rows of several selects, each of which may have an order and a limit of its own. */
sql.union = (selects: readonly Sql<unknown>[]): Sql<unknown> =>
  sql.join(
    selects.map((select) => sql`select * from (${select}) part`),
    sql` union all `,
  )

/** Trusted text, as it is. */
sql.raw = (text: string): Sql<unknown> => new Piece([text], [])

/** A trusted number or name, written into the text, so that the database knows its type. */
sql.lit = (value: number | string): Sql<unknown> =>
  sql.raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)

/** The columns and values of one new row: `insert into tokens ${sql.values(token)}`. Undefined columns are left out. */
sql.values = (row: object): Sql<unknown> => {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined)
  return sql`(${sql.join(entries.map(([name]) => named(name)))}) values (${sql.join(entries.map(([, value]) => value))})`
}

/** The changes of an update: `update views set ${sql.set(changes)}`. Undefined columns stay as they are. */
sql.set = (changes: object): Sql<unknown> => {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
  return sql.join(entries.map(([name, value]) => sql`${named(name)} = ${value}`))
}

/** A column name, optionally qualified with its table. */
sql.ref = named

sql.table = named

/**
 * A value that SQLite does not use for planning. It looks at bounds (`limit ?`) and patterns (`like ?`) otherwise, and
 * plans the statement again for every other value, which takes longer than most reads.
 */
sql.unseen = (value: string | number): Unseen => new Unseen(value)

/**
 * A condition: is one of these texts or numbers. All of them are one parameter, so that the text of the statement does
 * not depend on their number: a database plans each text by itself. A single one is compared, which most writes do: to
 * unpack a list takes SQLite as long as the rest of the statement.
 */
sql.among = (values: readonly (string | number)[]): Among => {
  return new Among(values, typeof values[0] === 'number' ? 'float8' : 'text')
}

/** The same for the numbers of rows. */
sql.amongNumbers = (numbers: readonly number[]): Among => new Among(numbers, 'bigint')

type Statement = { text: string; parameters: unknown[] }

export function statementOf(piece: Sql<unknown>, dialect: DialectName): Statement {
  const statement: Statement = { text: '', parameters: [] }
  if (!piece.values.every(isPlain)) {
    write(piece, statement, dialect === 'postgres')
    return statement
  }
  const text = texts[dialect].get(piece.strings)
  if (text !== undefined) return { text, parameters: [...piece.values] }
  write(piece, statement, dialect === 'postgres')
  texts[dialect].set(piece.strings, statement.text)
  return statement
}

/** The texts of templates whose values are all parameters. The strings of a template are the same array every time. */
const texts: Record<DialectName, WeakMap<readonly string[], string>> = {
  sqlite: new WeakMap(),
  postgres: new WeakMap(),
}

function isPlain(value: unknown): boolean {
  return !(value instanceof Piece) && !(value instanceof Unseen) && !(value instanceof Among)
}

class Among {
  readonly values: readonly (string | number)[]
  readonly type: 'text' | 'float8' | 'bigint'

  constructor(values: readonly (string | number)[], type: Among['type']) {
    this.values = values
    this.type = type
  }
}

class Unseen {
  readonly value: string | number

  constructor(value: string | number) {
    this.value = value
  }
}

class Piece<Row> implements Sql<Row> {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  all(db: Db): Promise<Row[]> {
    // The caller declares the type of the rows that its statement selects.
    return this.#read(db, ({ rows }) => rows as Row[])
  }

  one(db: Db): Promise<Row | undefined> {
    return this.#read(db, ({ rows }) => rows[0] as Row | undefined)
  }

  column(db: Db): Promise<Row[]> {
    return this.#read(db, ({ rows }) => rows.map(onlyValue<Row>))
  }

  value(db: Db): Promise<Row | undefined> {
    return this.#read(db, ({ rows }) => (rows.length === 0 ? undefined : onlyValue<Row>(rows[0])))
  }

  count(db: Db): Promise<number> {
    return this.#read(db, ({ rows }) => (rows.length === 0 ? 0 : Number(onlyValue(rows[0]) ?? 0)))
  }

  exists(db: Db): Promise<boolean> {
    return this.#read(db, ({ rows }) => rows.length > 0)
  }

  run(db: Db): Promise<number> {
    return this.#read(db, ({ affected }) => affected)
  }

  async #read<T>({ session }: Db, pick: (outcome: Outcome) => T): Promise<T> {
    const { text, parameters } = statementOf(this, session.dialect)
    const outcome = session.run(text, parameters)
    return pick(outcome instanceof Promise ? await outcome : outcome)
  }
}

function onlyValue<Value>(row: unknown): Value {
  // Every row is an object, and the caller declares the type of its one column.
  return Object.values(row as object)[0]
}

const COMMA = sql.raw(', ')

function write({ strings, values }: Sql<unknown>, statement: Statement, numbered: boolean): void {
  statement.text += strings[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof Piece) write(value, statement, numbered)
    else if (value instanceof Among) writeAmong(value, statement, numbered)
    else {
      const unseen = value instanceof Unseen
      const count = statement.parameters.push(unseen ? value.value : value)
      statement.text += numbered ? `$${count}` : unseen ? '+?' : '?'
    }
    statement.text += strings[i + 1]
  }
}

function writeAmong({ values, type }: Among, statement: Statement, numbered: boolean): void {
  if (values.length === 1) {
    const count = statement.parameters.push(values[0])
    statement.text += numbered ? `= $${count}` : '= ?'
    return
  }
  const count = statement.parameters.push(numbered ? values : JSON.stringify(values))
  statement.text += numbered ? `= any ($${count}::${type}[])` : 'in (select value from json_each(?))'
}

/** The names of our own tables and columns: few, so each is built once. */
const names = new Map<string, Sql<unknown>>()

function named(name: string): Sql<unknown> {
  return names.getOrInsertComputed(name, () => {
    const parts = name.split('.').map((part) => `"${part.replaceAll('"', '""')}"`)
    return sql.raw(parts.join('.'))
  })
}

export type DialectName = 'sqlite' | 'postgres'

export type Outcome = { rows: unknown[]; affected: number }

/** Something that runs one statement: a connection inside a transaction, or a whole pool. */
export type Session = {
  dialect: DialectName
  /** Not a promise where the database is in the process: a statement there takes little longer than a promise. */
  run(sql: string, parameters: readonly unknown[]): Promise<Outcome> | Outcome
}

/** The pattern of `like … escape '\'` that finds a part anywhere, its own `%`, `_` and `\` taken literally. */
export function partPattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`
}

/** Words of SQL that differ between the databases. */
type Syntax = {
  /** Locks the rows of an alias until the transaction ends. Empty where only one transaction writes at a time. */
  lockForChange(alias: string): string
  /** Tells which rows of `key_moves` were committed before a snapshot. */
  clock: Clock
  /** The time by the clock of the database in so many milliseconds, as ISO text. */
  timeIn(ms: number): string
  /** How a boolean is stored: better-auth writes numbers to SQLite. */
  flag(value: boolean): boolean | number
}

/**
 * SQLite numbers moves in the order of their commits. PostgreSQL does not know that order, but it knows which
 * transactions are still open on any node: what becomes visible later belongs to one of them or has a higher number. A
 * replica only knows the lowest of their numbers.
 */
type Clock = { column: string; now: string; open: string }

export function syntaxOf({ dialect }: Session): Syntax {
  return syntaxes[dialect]
}

const syntaxes: Readonly<Record<DialectName, Syntax>> = {
  sqlite: {
    lockForChange: () => '',
    clock: { column: 'seq', now: '(select coalesce(max(seq), 0) + 1 from key_moves)', open: 'null' },
    timeIn: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '${ms / 1000} seconds')`,
    flag: Number,
  },
  postgres: {
    lockForChange: (alias) => `for no key update of ${alias}`,
    clock: {
      column: 'clock',
      now: `(case when pg_is_in_recovery() then pg_snapshot_xmin(pg_current_snapshot())
        else pg_snapshot_xmax(pg_current_snapshot()) end)::text::bigint`,
      open: 'array(select number::text::float8 from pg_snapshot_xip(pg_current_snapshot()) number order by number)',
    },
    timeIn: (ms) => `to_char(statement_timestamp() at time zone 'utc' + interval '${ms} milliseconds',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    flag: (value) => value,
  },
}
