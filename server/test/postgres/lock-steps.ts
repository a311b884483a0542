import { createHash } from 'node:crypto'
import { resourceNames } from '@kith/contract/resource'
import type { Transaction } from './wire-watch.ts'

/**
 * One thing that a transaction locks: its place in the order, which ids or claims as far as the statement names them,
 * and how strongly.
 */
export type Step = {
  place: number
  what: string
  ids: readonly string[]
  claims?: readonly string[]
  mode?: number
  waits?: false
}

/** The tables whose rows writes lock, in their order (decision 14). */
export const lockOrder = [...resourceNames, 'merges']

/** Who writes, and where. */
export type Writer = { workspace: { id: string }; actor: { user_id: string } }

/** The key under which a record is made once. */
export const ONCE = 'once'

const FIELDS = 1
const CLAIMS = 2
const ROWS = 3
const COUNTS = ROWS + lockOrder.length

const locking = /\bfor (key share|no key update|update)\b/
/** From weak to strong. */
const modes = ['key share', 'no key update', 'update']
const named = /\b(?:from|join) (?:merges\b|records\b.*?\bresource\W* = (\d))/s
/** A statement that writes rows by their numbers does not name their resource. */
const written = /\b(?:update|delete from) "?(?:merges|records)\b(?:.*?\bresource\W* = (\d))?/s

/**
 * The jobs of a group, each of which begins with the fields. Across jobs there is no order: a group does not wait long
 * for a lock. Any other transaction is one job.
 */
export function jobsOf(transaction: Transaction): Transaction[] {
  if (!transaction[0]?.text.includes('lock_timeout')) return [transaction]
  const starts = transaction.flatMap(({ text }, index) => (text.includes('hold_fields') ? [index] : []))
  return starts.map((start, index) => transaction.slice(start, starts[index + 1]))
}

/** What a transaction locks, in the order in which it does. */
export function stepsOf(transaction: Transaction, writer: Writer): Step[] {
  return transaction.flatMap(({ text, parameters }): Step[] => {
    if (/\bhold_fields\b/.test(text)) return [{ place: FIELDS, what: 'fields', ids: [] }]
    if (text.includes('pg_advisory_xact_lock')) return [advisoryStep(parameters[0] ?? '', writer)]
    if (text.includes('into record_counts')) return [{ place: COUNTS, what: 'counts', ids: [] }]
    const clause = locking.exec(text)
    const found = clause ? named.exec(text) : null
    if (!clause || !found) return []
    const what = nameOf(found[1])
    const ids = (parameters[1] ?? '').match(/[0-9a-z]{26}/g) ?? []
    // What does not wait for a lock may take it at any time.
    const step = { place: ROWS + lockOrder.indexOf(what), what, ids, mode: modes.indexOf(clause[1] ?? '') }
    return [{ ...step, ...(text.endsWith('skip locked') && { waits: false }) }]
  })
}

/** Locks by a name: the fields of a workspace, or else unique values. */
function advisoryStep(numbers: string, { workspace }: Writer): Step {
  if (numbers.includes(lockNumber(`fields ${workspace.id}`))) return { place: FIELDS, what: 'all fields', ids: [] }
  return { place: CLAIMS, what: 'claims', ids: [], claims: numbers.match(/-?\d+/g) ?? [] }
}

function nameOf(number: string | undefined): string {
  return number === undefined ? 'merges' : (resourceNames[Number(number) - 1] ?? '')
}

/** Where a transaction leaves the lock order. */
export function problemsOf(transaction: Transaction, writer: Writer): string[] {
  const steps = stepsOf(transaction, writer)
  // A change of fields excludes all others that lock rows.
  const isAlone = steps.some((step) => step.what === 'all fields')
  const problems = steps.flatMap((step, index) => {
    if (step.waits === false || isHeld(step, steps.slice(0, index))) return []
    const before = steps.slice(0, index).findLast((one) => one.place >= step.place && !(isAlone && step.place < COUNTS))
    if (!before || (before.place === step.place && isBehind(before, step))) return []
    return [`${step.what} after ${before.what}`]
  })
  transaction.forEach(({ text }, index) => {
    const locked = new Set(stepsOf(transaction.slice(0, index), writer).map((step) => step.what))
    if (/\binsert into records\b/.test(text) && !hasFields(locked)) {
      problems.push('a new record without the fields')
    }
    const write = written.exec(text)
    if (write) {
      const isAny = write[1] === undefined && write[0].includes('records')
      const what = isAny ? 'records' : nameOf(write[1])
      if (!hasFields(locked)) problems.push(`${what} written without the fields`)
      const isLocked = isAny ? resourceNames.some((name) => locked.has(name)) : locked.has(what)
      if (!isLocked) problems.push(`${what} written before it was locked`)
    }
    if (text.includes('into record_counts') && index < transaction.length - 1) {
      problems.push('something after the counts')
    }
  })
  return problems
}

/** What the transaction has locked as strongly before. An undo compares the values before it writes. */
function isHeld({ what, ids, claims = [], mode = 0 }: Step, before: readonly Step[]): boolean {
  const earlier = before.filter((one) => one.what === what && (one.mode ?? 0) >= mode)
  const held = new Set(earlier.flatMap((one) => [...one.ids, ...(one.claims ?? [])]))
  const wanted = [...ids, ...claims]
  return wanted.length > 0 && wanted.every((one) => held.has(one))
}

function hasFields(locked: ReadonlySet<string>): boolean {
  return locked.has('fields') || locked.has('all fields')
}

/** Of two statements that lock rows of one table, the second must lock higher ids. Claims are locked once. */
function isBehind(before: Step, step: Step): boolean {
  if (step.ids.length === 0 || before.ids.length === 0) return step.place === FIELDS
  const highest = before.ids.toSorted().at(-1) ?? ''
  return step.ids.every((id) => id > highest)
}

function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE(0).toString()
}
