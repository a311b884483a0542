import type { BuiltInName } from '@kith/contract/resource'
import type { Answered } from '../api.ts'
import type { Asked } from './caller.ts'

/** What a call is meant to do. No other call writes the same token, so that a read tells whose write it sees. */
export type Deed =
  | { kind: 'create' | 'upsert'; type: BuiltInName; token: string; links?: readonly string[] }
  | { kind: 'update'; type: BuiltInName; id: string; token: string; links?: readonly string[] }
  | { kind: 'no change'; type: BuiltInName; id: string }
  | { kind: 'delete' | 'restore' | 'values'; type: BuiltInName; id: string }
  | { kind: 'undo change'; type: BuiltInName; id: string; does: 'delete' | 'restore' | 'values' }
  | { kind: 'merge' | 'undo'; type: BuiltInName; winner: string; loser: string }
  | { kind: 'options' | 'unique' | 'create token' | 'revoke token' }
  | { kind: 'role'; role: string }
  | { kind: 'read'; type: BuiltInName; id: string }
  | { kind: 'list'; type: BuiltInName; query: string; page: number; per_page: number }
  | { kind: 'scan'; type: BuiltInName; scan: string; page: number }

/** One call from the moment before it was sent to the moment after its answer came, by one clock. */
export type Call = { number: number; deed: Deed; asked: Asked; answer: Answered; start: number; end: number }

export type History = { calls: Call[]; problems: string[] }

export function isDone({ answer }: Call): boolean {
  return answer.status < 300
}

/** A record as an answer shows it. */
export type Shown = {
  id: string
  type: string
  attributes: { [name: string]: unknown; updated_at: string; custom_fields: Record<string, unknown> }
  relationships?: Record<string, { data: { id: string } | { id: string }[] | null }>
}

/** Every record that the answer of a call shows: what was asked for, and what came along. */
export function shownBy(call: Call): Shown[] {
  if (!isDone(call)) return []
  return [...dataOf(call), ...includedBy(call)]
}

/** The records of an answer. */
export function dataOf({ deed, answer }: Call): Shown[] {
  const { data } = answer.body ?? {}
  // These answer with a field.
  if (deed.kind === 'options' || deed.kind === 'unique') return []
  return [data ?? []].flat().filter((one: Shown) => one.attributes?.updated_at !== undefined)
}

export function includedBy({ answer }: Call): Shown[] {
  return (answer.body?.included ?? []).filter((one: Shown) => one.type !== 'users')
}

export function labelOf({ attributes }: Shown): string {
  return String(attributes.name ?? attributes.title)
}

/** One line for those who look for the cause of a failure. */
export function told({ number, deed, asked, answer, start, end }: Call): string {
  const times = `${start.toFixed(1)}–${end.toFixed(1)} ms`
  const body = asked.body === undefined ? '' : ` ${JSON.stringify(asked.body)}`
  const request = `${asked.method} ${asked.path}${body}`
  return `#${number} ${times} node ${asked.node} ${deed.kind}: ${request} → ${answer.status}`
}
