import type { Writable } from 'node:stream'
import pg from 'pg'
import { type ReadColumn, rowMaker } from './row-maker.ts'
import type { Outcome } from './session.ts'

type Question = {
  name: string
  text: string
  values: readonly unknown[]
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * Asks something over a connection. What is asked for before the process turns to something else goes out with it, in one write, and is
 * answered together: to send a statement by itself, to wake whoever runs it and to be woken by its answer takes longer than most of them run. Inside
 * a transaction, and outside of one likewise, those behind one that fails are not run, and fail with it.
 */
export function ask(client: pg.PoolClient, text: string, values: readonly unknown[]): Promise<Outcome> {
  const name = nameOf(text)
  if (name === undefined) return askUnnamed(client, text, values)
  return new Promise((resolve, reject) => {
    const question = { name, text, values, resolve, reject }
    const gathered = gathering.get(client)
    if (gathered) gathered.push(question)
    else {
      gathering.set(client, [question])
      process.nextTick(sendAsked, client)
    }
  })
}

const gathering = new WeakMap<pg.PoolClient, Question[]>()

/** Sends what was asked so far. */
export function sendAsked(client: pg.PoolClient): void {
  const questions = gathering.get(client)
  if (!questions) return
  gathering.delete(client)
  const { stream, parsedStatements, submittedNamedStatements } = wireOf(client)
  let known: Question[] = []
  const send = (together: Question[]) => void (together.length > 0 && client.query(new Questions(together)))
  stream.cork()
  for (const question of questions) {
    const isKnown = question.name in parsedStatements || question.name in submittedNamedStatements
    if (isKnown) known.push(question)
    else {
      // The driver keeps account of what the server has accepted, for one statement at a time.
      send(known)
      known = []
      send([question])
    }
  }
  send(known)
  stream.uncork()
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

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

type RowOf = (values: unknown[]) => unknown

/** How the rows of a statement are made, once a connection has been told of their columns. */
const rowMakers = new WeakMap<Wire, Map<string, RowOf | undefined>>()

/** Questions that are sent to the server with one end behind them. */
class Questions extends pg.Query {
  readonly #asked: readonly Question[]
  readonly name: string | undefined
  readonly text: string | undefined
  #makers: Map<string, RowOf | undefined> = new Map()
  #at = 0
  #rows: unknown[] = []
  #rowOf: RowOf | undefined
  #last: Outcome | undefined

  constructor(asked: readonly Question[]) {
    super({ text: '' })
    this.#asked = asked
    const [only] = asked
    this.name = asked.length === 1 ? only?.name : undefined
    this.text = asked.length === 1 ? only?.text : undefined
  }

  override submit = (connection: unknown): void => {
    const wire = connection as Wire
    let makers = rowMakers.get(wire)
    if (!makers) {
      makers = new Map()
      rowMakers.set(wire, makers)
    }
    this.#makers = makers
    for (const { name, text, values } of this.#asked) {
      if (!(name in wire.parsedStatements || name in wire.submittedNamedStatements)) {
        wire.parse({ name, text })
        wire.submittedNamedStatements[name] = text
      }
      wire.bind({ statement: name, values, valueMapper: prepareValue })
      if (!makers.has(name)) wire.describe({ type: 'P' })
      wire.execute({ portal: '' })
    }
    wire.sync()
    this.#rowOf = makers.get(this.#asked[0]?.name ?? '')
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#rowOf = rowMaker(fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) })))
    const name = this.#asked[this.#at]?.name
    if (name !== undefined) this.#makers.set(name, this.#rowOf)
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    this.#rows.push(this.#rowOf?.(fields))
  }

  handleCommandComplete({ text }: { text: string }): void {
    const outcome = { rows: this.#rows, affected: Number(/\d+$/.exec(text)?.[0] ?? 0) }
    const answered = this.#asked[this.#at]
    if (answered && !this.#makers.has(answered.name)) this.#makers.set(answered.name, undefined)
    this.#at++
    if (this.#at === this.#asked.length) {
      this.#last = outcome
      return
    }
    this.#rows = []
    this.#rowOf = this.#makers.get(this.#asked[this.#at]?.name ?? '')
    answered?.resolve(outcome)
  }

  handleReadyForQuery(): void {
    if (this.#last) this.#asked.at(-1)?.resolve(this.#last)
  }

  handleError(error: unknown): void {
    for (const { reject } of this.#asked.slice(this.#last ? -1 : this.#at)) reject(error)
  }
}

const TEXT = 25

function readerOf(type: number): ReadColumn['read'] {
  return type === TEXT ? undefined : pg.types.getTypeParser(type, 'text')
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
