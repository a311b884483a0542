import { isLid, LID_RULE, type OperationName } from '@kith/contract/batch'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { type Match, parseMatch } from '@kith/contract/match'
import { isObject } from '@kith/contract/raw-input'
import type { ByName, LidReader } from '@kith/contract/reference-input'
import type { RefusalReason } from '@kith/contract/refusal'
import type { ResourceName, Schema } from '@kith/contract/resource'
import {
  expectedIn,
  type Precondition,
  parseWrite,
  type RawParameters,
  type WriteContext,
} from '../records/expected.ts'
import { notFound } from '../records/merge/merged-into.ts'
import type { ResourceObject } from '../records/present.ts'
import type { Removal } from '../records/trash/restore.ts'
import { parseCreate, parseUpdate, parseUpsert } from '../records/write.ts'
import type { Written } from '../records/write-set.ts'
import type { NamedRecord, Write } from '../records/write-targets.ts'
import { requireResource } from '../scope/read-input.ts'

/** A write of a batch or an import. Its ids and data are checked when it runs. */
export type Operation = {
  op: OperationName
  resource: ResourceName
  /** A local id, with which later operations of the batch refer to the record. */
  lid?: string | undefined
  /** For an update or delete. */
  id?: string | { lid: string } | undefined
  /** As in the body of a single upsert. An update or delete has it instead of an id. */
  match?: unknown
  /** Like the headers of the single request, with or without quotes. */
  if_match?: string | undefined
  if_none_match?: string | undefined
  /** The body of the single request. */
  data?: unknown
  /** Whether records can be named by their name, as in imports. */
  byName?: ByName | undefined
}

/** The outcome of an operation, as in the single request. `shown` is the record in the sync form, if requested. */
export type Outcome =
  | (Written & { shown?: ResourceObject | undefined })
  | { removed: string; change_id: string }
  | { refused: RefusalReason }

/** The record id of each lid of the operations so far; null if the operation was refused. */
export type Lids = Map<string, string | null>

/** The id of the record that an operation has written; null if the operation was refused. */
export function idOf(outcome: Outcome): string | null {
  if ('refused' in outcome) return null
  return 'removed' in outcome ? outcome.removed : outcome.row.id
}

const IDS = /\(ID ([0-9a-z]{26})\)|[0-9a-z]{26}/g

/** A refusal or failure in which some ids are replaced by names. */
export function withNames<T extends object>(told: T, names: ReadonlyMap<string, string>): T {
  const named = (text: string) =>
    text.replaceAll(IDS, (told, bracketed?: string) => {
      const name = names.get(bracketed ?? told)
      if (name === undefined) return told
      return bracketed === undefined ? name : `(${name})`
    })
  return JSON.parse(JSON.stringify(told), (_key, value) => (typeof value === 'string' ? named(value) : value))
}

/** Returns a function that resolves the lids of earlier operations to record ids. */
function readerOf(lids: Lids): LidReader {
  return (lid, path, report) => {
    const id = isLid(lid) ? lids.get(lid) : undefined
    if (typeof id === 'string') return id
    report(path, problemOf(lid, path, id))
    return null
  }
}

function problemOf(lid: unknown, path: string, id: null | undefined): string {
  if (!isLid(lid)) return `The ${path} must name a record by its lid. ${LID_RULE}`
  const named = `The ${path} names the lid ${excerpt(lid)}`
  if (id === null) return `${named}, but the operation with this lid failed.`
  return `${named}, but no operation before this one has it.`
}

/** Records the ids for the lids of the first operations. */
export function noteLids(lids: Lids, operations: readonly Operation[], outcomes: readonly Outcome[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    const lid = operations[index]?.lid
    if (lid !== undefined) lids.set(lid, idOf(outcome))
  }
}

/** The lids in the data and the id of an operation, at any depth. */
export function lidsIn({ id, data }: Operation): Set<string> {
  const found = new Set<string>()
  const look = (raw: unknown) => {
    if (typeof raw !== 'object' || raw === null) return
    if ('lid' in raw && typeof raw.lid === 'string') found.add(raw.lid)
    else for (const part of Object.values(raw)) look(part)
  }
  look(id)
  look(data)
  return found
}

/** An operation that is ready to run, or the reason why it is refused before it runs. */
export type PreparedOperation = { write: Write } | { removal: Removal | MatchedRemoval } | { refused: RefusalReason }

/** A deletion of the record that holds a value. */
export type MatchedRemoval = { match: Match; expected: Precondition }

const NOTHING_ASKED: RawParameters = { raw: {}, loose: false, issues: [] }

/** Parses an operation. Replaces lids of earlier records by their ids. */
export function prepare(operation: Operation, { schema, lids }: { schema: Schema; lids: Lids }): PreparedOperation {
  const resource = requireResource(schema, operation.resource)
  const context = { resource, readLid: readerOf(lids), byName: operation.byName }
  const body = operation.data
  const sent = { body, asked: NOTHING_ASKED }
  if (operation.op === 'create') return { write: parseCreate(sent, context) }
  if (operation.op === 'upsert') {
    const matched = isObject(body) && operation.match !== undefined ? { ...body, match: operation.match } : body
    const conditions = { ifMatch: conditionIn(operation.if_match), ifNoneMatch: conditionIn(operation.if_none_match) }
    return { write: parseUpsert({ ...sent, body: matched, ...conditions }, context) }
  }
  const named = namedBy(operation, context)
  const expected = conditionIn(operation.if_match)
  if (operation.op === 'delete') return 'refused' in named ? named : { removal: { ...named, expected } }
  const update = { ...sent, body: body ?? {}, expected }
  if (!('refused' in named)) return { write: parseUpdate(update, context, named) }
  const { refused } = named
  if (refused.kind !== 'invalid') return named
  const { issues } = parseWrite(update, { ...context, creating: false })
  return { refused: { ...refused, issues: [...refused.issues, ...issues] } }
}

/** The record that an update or delete names by its id or by a value. */
function namedBy(operation: Operation, { resource, readLid }: WriteContext): NamedRecord | { refused: RefusalReason } {
  const issues: Issue[] = []
  const report = reportInto(issues)
  if (operation.match !== undefined) {
    const match = parseMatch(operation.match, { fields: resource.fields }, report)
    return match ? { match } : { refused: { kind: 'invalid', issues } }
  }
  const { id = '' } = operation
  const sent_id = typeof id === 'string' ? id : readLid?.(id.lid, 'id', report)
  if (typeof sent_id !== 'string') return { refused: { kind: 'invalid', issues } }
  const parsed = parseId(sent_id)
  return parsed === undefined ? { refused: notFound(resource, sent_id) } : { id: parsed, sent_id }
}

/** Adds the quotes of an ETag if they are missing. */
function conditionIn(text: string | undefined): Precondition {
  if (text === undefined) return undefined
  const trimmed = text.trim()
  return expectedIn(trimmed === '*' || trimmed.includes('"') ? trimmed : `"${trimmed}"`)
}
