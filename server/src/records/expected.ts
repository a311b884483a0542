import type { Definitions } from '@kith/contract/field-definition'
import { type RefusalReason, refuse, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { presentRecords, recordDocument, recordTag } from './present.ts'

/**
 * What a writer expects of a record: that it exists (`*`), or that it was last changed at one of these times. Undefined
 * if it expects nothing.
 */
export type Expected = '*' | 'malformed' | readonly string[] | undefined

/** What an If-Match or If-None-Match header names: of each tag the time before the `~`. A weak tag never matches. */
export function expectedIn(header: string | null): Expected {
  if (header === null) return undefined
  if (header.trim() === '*') return '*'
  const tags = tagsIn(header)
  return tags?.flatMap(({ weak, text }) => (weak ? [] : [text.split('~', 1)[0] ?? ''])) ?? 'malformed'
}

type Current = { id: string; updated_at: string }

type Comparing = { expected: Expected; current: RecordRow; definitions: Definitions }

/** Refuses unless a live record is as expected. To be called under the lock of the record. */
export async function requireExpected(inside: Scope, resource: Resource, comparing: Comparing): Promise<void> {
  const reason = await unexpected(inside, resource, comparing)
  if (reason) refuse(reason)
}

/** Why a live record is not as expected. */
export async function unexpected(
  inside: Scope,
  resource: Resource,
  { expected, current, definitions }: Comparing,
): Promise<RefusalReason | undefined> {
  if (expected === 'malformed') return { kind: 'invalid', issues: [{ path: 'if_match', message: MALFORMED }] }
  if (isExpected(expected, current)) return undefined
  const presented = await presentRecords(inside, resource, {
    ...{ definitions, rows: [current] },
    ...{ include: [], fields: new Map() },
  })
  return changedSince(resource, current, recordTag(presented, recordDocument(presented)))
}

/** The same for a record that is deleted, which has no tag of its own: the time before its deletion is one. */
export function requireExpectedTime(resource: Resource, expected: Expected, current: Current): void {
  if (!isExpected(expected, current)) refuse(changedSince(resource, current, `"${current.updated_at}"`))
}

/** Refuses a malformed header. */
export function requireReadable(expected: Expected): asserts expected is Exclude<Expected, 'malformed'> {
  if (expected === 'malformed') refuseValue('if_match', MALFORMED)
}

const MALFORMED =
  'If-Match must be * or one or more tags in double quotes, such as "2026-11-14T09:30:00.125Z": ' +
  'the updated_at of the record, or its ETag.'

/** Whether something was last changed at a time that the writer expects. */
export function isExpected(expected: Expected, { updated_at }: { updated_at: string }): boolean {
  if (expected === undefined || expected === '*') return true
  requireReadable(expected)
  return expected.includes(updated_at)
}

function changedSince({ one }: Resource, { id, updated_at }: Current, tag: string): RefusalReason {
  const message =
    `The ${one} with the ID ${id} was last changed at ${updated_at}, which If-Match does not name. ` +
    'Nothing was written: read the record again, then decide.'
  return { kind: 'precondition_failed', message, updated_at, tag }
}

type Tag = { weak: boolean; text: string }

const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(,|$)/y

/** The tags of a list; undefined if it is malformed. */
export function tagsIn(header: string): Tag[] | undefined {
  const tags: Tag[] = []
  TAG.lastIndex = 0
  for (;;) {
    const found = TAG.exec(header)
    if (!found) return undefined
    tags.push({ weak: found[1] !== undefined, text: found[2] ?? '' })
    if (found[3] === '') return tags
  }
}
