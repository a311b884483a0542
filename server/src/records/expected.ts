import { type AnswerOptions, parseAnswerOptions } from '@kith/contract/answer-options'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/parsed-input'
import { isObject } from '@kith/contract/raw-input'
import { parseRecordInput } from '@kith/contract/record-input'
import type { ReferenceContext } from '@kith/contract/reference-input'
import { type RefusalReason, refuse, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { presentRecords, recordDocument, recordTag } from './present.ts'

/**
 * The precondition of a write: that the record exists (`*`), or that it was last changed at one of these times.
 * Undefined without a precondition.
 */
export type Precondition = '*' | 'malformed' | readonly string[] | undefined

/** The times in an If-Match or If-None-Match header: the part of each tag before the `~`. A weak tag never matches. */
export function expectedIn(header: string | null): Precondition {
  if (header === null) return undefined
  if (header.trim() === '*') return '*'
  const tags = tagsIn(header)
  return tags?.flatMap(({ weak, text }) => (weak ? [] : [text.split('~', 1)[0] ?? ''])) ?? 'malformed'
}

type RecordVersion = { id: string; updated_at: string }

type Comparison = { expected: Precondition; current: RecordRow }

/** Refuses unless a live record meets the precondition. Must be called under the lock of the record. */
export async function requireExpected(inside: Scope, resource: Resource, comparing: Comparison): Promise<void> {
  const reason = await unexpected(inside, resource, comparing)
  if (reason) refuse(reason)
}

/** Why a live record does not meet the precondition. */
export async function unexpected(
  inside: Scope,
  resource: Resource,
  { expected, current }: Comparison,
): Promise<RefusalReason | undefined> {
  if (expected === 'malformed') return { kind: 'invalid', issues: [{ path: 'if_match', message: MALFORMED }] }
  if (isExpected(expected, current)) return undefined
  const presented = await presentRecords(inside, resource, {
    rows: [current],
    include: [],
    fields: new Map(),
  })
  return changedSince(resource, current, recordTag(presented, recordDocument(presented)))
}

/** Like `requireExpected`, for a deleted record. It has no tag of its own: the time before its deletion counts. */
export function requireExpectedTime(resource: Resource, expected: Precondition, current: RecordVersion): void {
  if (!isExpected(expected, current)) refuse(changedSince(resource, current, `"${current.updated_at}"`))
}

/** Refuses a malformed header. */
export function requireReadable(expected: Precondition): asserts expected is Exclude<Precondition, 'malformed'> {
  if (expected === 'malformed') refuseValue('if_match', MALFORMED)
}

const MALFORMED =
  'If-Match must be * or one or more tags in double quotes, such as "2026-11-14T09:30:00.125Z": ' +
  'the updated_at of the record, or its ETag.'

/** Whether the time of the last change is one that the writer expects. */
export function isExpected(expected: Precondition, { updated_at }: { updated_at: string }): boolean {
  if (expected === undefined || expected === '*') return true
  requireReadable(expected)
  return expected.includes(updated_at)
}

function changedSince({ one }: Resource, { id, updated_at }: RecordVersion, tag: string): RefusalReason {
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

/** Parameters as a surface received them, and the problems with reading them. */
export type RawParameters = { raw: Record<string, unknown>; loose: boolean; issues: readonly Issue[] }

/** A write as a surface received it. `body` is not an object if it was not JSON. */
export type WriteRequest = { body: unknown; asked: RawParameters }

/** The context for parsing a write. `readLid` is only set for an operation of a batch. */
export type WriteContext = { resource: Resource } & Pick<ReferenceContext, 'readLid'>

export function parseAsked(asked: RawParameters, resource: Resource, report: Report): AnswerOptions {
  for (const { path, message } of asked.issues) report(path, message)
  return parseAnswerOptions(asked.raw, { resource, loose: asked.loose }, report)
}

/** Parses a create, update or upsert. Problems are reported, except those of values: they are part of the input. */
export function parseWrite(
  { body, asked }: WriteRequest,
  { resource, ...rest }: WriteContext & { creating: boolean; besides?: readonly string[] },
): {
  /** The parameters that select the shown parts of the written record. */
  answer: AnswerOptions
  /** Undefined if the body is not an object. */
  input: RecordInput | undefined
  issues: Issue[]
  report: Report
} {
  const issues: Issue[] = []
  const report = reportInto(issues)
  const answer = parseAsked(asked, resource, report)
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { answer, input: undefined, issues, report }
  }
  const input = parseRecordInput(body, { resource, createsMissing: true, editsLists: true, ...rest }, report)
  return { answer, input, issues, report }
}
