import type { Writable } from 'node:stream'
import pg from 'pg'
import { type ReadColumn, rowMaker } from '../row-maker.ts'
import type { Outcome } from '../session.ts'

type Question = {
  /** Empty for a statement that the server forgets at once. */
  name: string
  text: string
  values: readonly unknown[]
  /** How many milliseconds it may run. */
  limit?: number | undefined
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * Asks something over a connection. What is asked for before the process turns to something else goes out with it, in one write, and is answered
 * together: to send a statement by itself, to wake whoever runs it and to be woken by its answer takes longer than most of them run. Those behind one
 * that fails are not run, and fail with it. With a limit, the server stops the statement after so many milliseconds.
 */
export function ask(client: pg.PoolClient, text: string, values: readonly unknown[], limit?: number): Promise<Outcome> {
  const name = nameOf(text) ?? (limit === undefined ? undefined : '')
  if (name === undefined) return askUnnamed(client, text, values)
  return new Promise((resolve, reject) => {
    const question = { name, text, values, limit, resolve, reject }
    const gathered = gathering.get(client)
    if (gathered) gathered.push(question)
    else {
      gathering.set(client, [question])
      process.nextTick(sendAsked, client)
    }
  })
}

const gathering = new WeakMap<pg.PoolClient, Question[]>()

/** Sends what was asked so far, for whoever goes on with the driver itself. */
export function sendAsked(client: pg.PoolClient): void {
  const questions = gathering.get(client)
  if (!questions) return
  gathering.delete(client)
  const wire = wireOf(client)
  wire.stream.cork()
  for (const together of sentTogether(wire, questions)) client.query(new Questions(wire, together))
  wire.stream.uncork()
}

/**
 * A statement that the server has not seen yet goes by itself: the driver keeps account of those it has accepted, one at a time.
 * The statement that sets a limit goes together with the one that it limits, and so it is made known before.
 */
function* sentTogether(wire: Wire, questions: readonly Question[]): Generator<Question[]> {
  let known: Question[] = []
  for (const question of questions) {
    const limiting = question.limit === undefined ? [] : [limitOf(question.limit)]
    const isNew = !isKnown(wire, question)
    const isLimitNew = limiting.some((one) => !isKnown(wire, one))
    if ((isNew || isLimitNew) && known.length > 0) {
      yield known
      known = []
    }
    if (isLimitNew) yield limiting
    if (isNew) yield [...limiting, question]
    else known.push(...limiting, question)
  }
  if (known.length > 0) yield known
}

const LIMIT = 'kith_limit'

/**
 * Sets how long the statements behind it may run. It holds until the transaction ends, which without a `begin` is the end of what
 * was sent together: nobody has to take it back, and nobody waits for it.
 */
function limitOf(ms: number): Question {
  const text = "select set_config('statement_timeout', $1, true)"
  const whole = String(Math.max(1, Math.ceil(ms)))
  return { name: LIMIT, text, values: [whole], resolve: () => {}, reject: () => {} }
}

function isKnown({ parsedStatements, submittedNamedStatements }: Wire, { name }: Question): boolean {
  return name in parsedStatements || name in submittedNamedStatements
}

async function askUnnamed(client: pg.PoolClient, text: string, values: readonly unknown[]): Promise<Outcome> {
  sendAsked(client)
  const { rows, rowCount } = await client.query({ text, values: [...values] })
  return { rows, affected: rowCount ?? 0 }
}

/** What a connection of the driver has, though its types do not tell. */
type Wire = {
  stream: Writable
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void
  describe(portal: { type: 'P' }): void
  execute(portal: { portal: '' }): void
  sync(): void
}

function wireOf(client: pg.PoolClient): Wire {
  return (client as unknown as { connection: Wire }).connection
}

/** How the driver writes a value down; its types do not tell of that either. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

type RowOf = (values: unknown[]) => unknown

/** How the rows of a statement are made, by its name, once a connection has been told of its columns; undefined where it has none. */
type Shapes = Map<string, RowOf | undefined>

const shapes = new WeakMap<Wire, Shapes>()

function shapesOn(wire: Wire): Shapes {
  const known = shapes.get(wire)
  if (known) return known
  const none: Shapes = new Map()
  shapes.set(wire, none)
  return none
}

/** Questions with one end behind them all. The driver calls it as it calls its own queries. */
class Questions extends pg.Query {
  /** Of a single question or of the one that is new, by which the driver knows that the server has accepted it. */
  readonly name: string | undefined
  readonly text: string | undefined
  readonly #asked: readonly Question[]
  readonly #shapes: Shapes
  /** How the rows of a statement without a name are made. */
  #unnamed: RowOf | undefined
  /** How many have been answered. The last one is told when the connection is ready for more. */
  #answered = 0
  #outcome: Outcome = { rows: [], affected: 0 }

  constructor(wire: Wire, asked: readonly Question[]) {
    super({ text: '' })
    const named = asked.length === 1 ? asked[0] : asked.find((one) => one.name !== LIMIT && !isKnown(wire, one))
    this.name = named?.name
    this.text = named?.text
    this.#asked = asked
    this.#shapes = shapesOn(wire)
  }

  override submit = (connection: unknown): void => {
    // The driver hands over the connection.
    const wire = connection as Wire
    for (const question of this.#asked) {
      const { name, text, values } = question
      if (!isKnown(wire, question)) {
        wire.parse({ name, text })
        if (name !== '') wire.submittedNamedStatements[name] = text
      }
      wire.bind({ statement: name, values, valueMapper: prepareValue })
      if (name === '' || !this.#shapes.has(name)) wire.describe({ type: 'P' })
      wire.execute({ portal: '' })
    }
    wire.sync()
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const name = this.#current
    if (name === '') this.#unnamed = rowOf(fields)
    else this.#shapes.set(name, rowOf(fields))
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    const name = this.#current
    this.#outcome.rows.push((name === '' ? this.#unnamed : this.#shapes.get(name))?.(fields))
  }

  handleCommandComplete({ text }: { text: string }): void {
    const name = this.#current
    if (name !== '' && !this.#shapes.has(name)) this.#shapes.set(name, undefined)
    this.#outcome.affected = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
    if (this.#answered < this.#asked.length - 1) this.#tell()
  }

  handleReadyForQuery(): void {
    this.#tell()
  }

  handleError(error: unknown): void {
    for (const { reject } of this.#asked.slice(this.#answered)) reject(error)
    this.#answered = this.#asked.length
  }

  #tell(): void {
    this.#asked[this.#answered]?.resolve(this.#outcome)
    this.#answered++
    this.#outcome = { rows: [], affected: 0 }
  }

  get #current(): string {
    return this.#asked[this.#answered]?.name ?? ''
  }
}

type Field = { name: string; dataTypeID: number }

const rowsOf = new Map<string, RowOf>()

/** The same for the same columns, whichever connection tells of them. */
function rowOf(fields: readonly Field[]): RowOf {
  const columns = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join(', ')
  let make = rowsOf.get(columns)
  if (!make) {
    make = rowMaker(fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) })))
    if (rowsOf.size < STATEMENTS_NAMED) rowsOf.set(columns, make)
  }
  return make
}

function readerOf(type: number): ReadColumn['read'] {
  return type === pg.types.builtins.TEXT ? undefined : pg.types.getTypeParser(type, 'text')
}

const STATEMENTS_NAMED = 1000
const names = new Map<string, string>()

/** Statements keep their name as long as the process lives, so that the server plans each of them once for a connection. */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= STATEMENTS_NAMED) return known
  const name = `kith_${names.size}`
  names.set(sql, name)
  return name
}
