import type { Issue } from '@kith/contract/issue'
import type { FieldMatch, Match } from '@kith/contract/match'
import type { RecordInput } from '@kith/contract/record-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { findHolders, findHoldersOfIds, type Holders } from '../storage/tables/holders.ts'
import { findForChange, type StoredRecord } from '../storage/tables/records.ts'
import { type Checked, keysOf } from './check-input.ts'
import type { Expected } from './expected.ts'
import { parseStored } from './stored-values.ts'
import type { UpsertConditions } from './upsert-checks.ts'

/** What a write finds: the record that it changes. Several that hold the value of an upsert are none. */
export type Target = { current: StoredRecord | undefined; holders: readonly StoredRecord[] }

/**
 * Finds and locks the records that writes of one kind change. Upserts of a set match by the same field or namespace.
 * Ends before the first write that finds a record that an earlier one changes.
 */
export async function findTargets(inside: Scope, resource: Resource, writes: readonly Write[]): Promise<Target[]> {
  const ids = writes.flatMap((write) => (write.op === 'update' ? [write.id] : []))
  const rows = ids.length === 0 ? new Map<string, StoredRecord>() : await findForChange(inside, resource, ids)
  const matches = writes.flatMap((write) => (write.op === 'upsert' && write.input && write.match ? [write.match] : []))
  const holders = await lockHolders(inside, resource, matches)
  const seen = new Set<string>()
  const targets: Target[] = []
  for (const write of writes) {
    const target = targetOf(write, rows, holders)
    if (target.holders.some(({ id }) => seen.has(id))) break
    if (target.current) seen.add(target.current.id)
    targets.push(target)
  }
  return targets
}

function targetOf(write: Write, rows: ReadonlyMap<string, StoredRecord>, byKey: Holders): Target {
  if (write.op === 'update') return { current: rows.get(write.id), holders: [] }
  const key = write.op === 'upsert' && write.input && write.match ? keyOf(write.match) : undefined
  const holders = (key === undefined ? undefined : byKey.get(key)) ?? []
  return { current: holders.length === 1 ? holders[0] : undefined, holders }
}

function keyOf(match: Match): string {
  return match.by === 'field' ? match.key : match.external_id
}

/** The records that hold the values, locked. If one of them lost it before it was locked, the transaction restarts. */
async function lockHolders(inside: Scope, resource: Resource, matches: readonly Match[]): Promise<Holders> {
  const [first] = matches
  if (!first) return new Map()
  const keys = matches.map(keyOf)
  if (first.by === 'external_id') {
    return findHoldersOfIds(inside, resource, { namespace: first.namespace, ids: keys })
  }
  const found = await findHolders(inside, resource, { field: first.field, keys })
  for (const [key, records] of found) {
    if (!records.every((record) => isHolder(record, { field: first.field, key }))) throw new Conflict()
  }
  return found
}

function isHolder(record: StoredRecord, { field, key }: Pick<FieldMatch, 'field' | 'key'>): boolean {
  return keysOf(field, parseStored(record.custom_fields)[field.key]).includes(key)
}

/** A create, update or upsert. What is wrong with it so far is in its issues. */
export type Write = Pick<Checked, 'report'> & {
  /** Undefined if the body is no object. */
  input: RecordInput | undefined
  issues: Issue[]
} & WriteTarget

type WriteTarget =
  | { op: 'create' }
  /** `sent_id` is the id as it was sent, for messages. */
  | { op: 'update'; id: string; sent_id: string; expected: Expected }
  | { op: 'upsert'; match: Match | undefined; conditions: UpsertConditions }
