import { type AnswerOptions, parseAnswerOptions } from '@kith/contract/answer-options'
import type { Definitions } from '@kith/contract/field-definition'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import type { ReferenceContext } from '@kith/contract/reference-input'
import type { Resource } from '@kith/contract/resource'

/** Parameters as a surface received them, and the problems it had with reading them. */
export type Asked = { raw: Record<string, unknown>; loose: boolean; issues: readonly Issue[] }

/** A write as a surface received it. A body that is no JSON is anything but an object. */
export type Sent = { body: unknown; asked: Asked }

/** What an input is read with. */
export type Context = { resource: Resource; definitions: Definitions }

/** What a write is read with. `readLid` only for an operation of a batch. */
export type WriteContext = Context & Pick<ReferenceContext, 'readLid'>

export function parseAsked(asked: Asked, { resource, definitions }: Context, report: Report): AnswerOptions {
  for (const { path, message } of asked.issues) report(path, message)
  return parseAnswerOptions(asked.raw, { resource, definitions, loose: asked.loose }, report)
}

type ParsedWrite = {
  /** What to show of the written record. */
  answer: AnswerOptions
  /** Undefined if the body is no object. */
  input: RecordInput | undefined
  issues: Issue[]
  report: Report
}

/** Parses a create, update or upsert. Problems are reported, except those of values: they are part of the input. */
export function parseWrite(
  { body, asked }: Sent,
  { resource, definitions, ...rest }: WriteContext & { creating: boolean; besides?: readonly string[] },
): ParsedWrite {
  const issues: Issue[] = []
  const report = reportInto(issues)
  const answer = parseAsked(asked, { resource, definitions }, report)
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { answer, input: undefined, issues, report }
  }
  const input = parseRecordInput(body, { resource, definitions, ...rest }, report)
  return { answer, input, issues, report }
}
