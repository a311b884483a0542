import type { Definitions } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import { isObject } from '@kith/contract/raw-input'
import type { LidReader } from '@kith/contract/reference-input'
import type { RefusalReason } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Asked } from '../records/ask.ts'
import { parseCreate } from '../records/create.ts'
import { type Expected, expectedIn } from '../records/expected.ts'
import { notFound } from '../records/merge/merged-into.ts'
import type { Removal } from '../records/trash/remove.ts'
import { parseUpdate } from '../records/update.ts'
import { parseUpsert } from '../records/upsert.ts'
import type { Write } from '../records/write.ts'
import { readerOf } from './lids.ts'
import type { Lids, Operation } from './operation.ts'

/** An operation that is ready to run, or why it is refused without that. */
export type Prepared = { write: Write } | { removal: Removal } | { refused: RefusalReason }

/** The response of an operation has no parameters. */
const NOTHING_ASKED: Asked = { raw: {}, loose: false, issues: [] }

/** Reads an operation. Names of earlier records become their ids. */
export function prepare(
  operation: Operation,
  { definitions, lids }: { definitions: Definitions; lids: Lids },
): Prepared {
  const resource = registry[operation.resource]
  const readLid = readerOf(lids)
  const context = { resource, definitions, readLid }
  const body = operation.data
  const sent = { body, asked: NOTHING_ASKED }
  if (operation.op === 'create') return { write: parseCreate(sent, context) }
  if (operation.op === 'upsert') {
    const matched = isObject(body) && operation.match !== undefined ? { ...body, match: operation.match } : body
    const conditions = { ifMatch: conditionIn(operation.if_match), ifNoneMatch: conditionIn(operation.if_none_match) }
    return { write: parseUpsert({ ...sent, body: matched, ...conditions }, context) }
  }
  const named = idOf(operation, readLid)
  if (typeof named !== 'string') return named
  const id = parseId(named)
  if (id === undefined) return { refused: notFound(resource, named) }
  const expected = conditionIn(operation.if_match)
  if (operation.op === 'delete') return { removal: { id, sent_id: named, expected } }
  return { write: parseUpdate({ ...sent, body: body ?? {}, id: named, expected }, context, id) }
}

/** The id of an update or delete. The record of a lid may not be there. */
function idOf({ id = '' }: Operation, readLid: LidReader): string | { refused: RefusalReason } {
  if (typeof id === 'string') return id
  const issues: { path: string; message: string }[] = []
  const found = readLid(id.lid, 'id', (path, message) => void issues.push({ path, message }))
  return found ?? { refused: { kind: 'invalid', issues } }
}

/** A tag without quotes is one tag. */
function conditionIn(text: string | undefined): Expected {
  if (text === undefined) return undefined
  const trimmed = text.trim()
  return expectedIn(trimmed === '*' || trimmed.includes('"') ? trimmed : `"${trimmed}"`)
}
