import { type AnswerOptions, parseAnswerOptions } from '@kith/contract/answer-options'
import type { Definitions } from '@kith/contract/field-definition'
import type { Issue, Report } from '@kith/contract/issue'
import type { Resource } from '@kith/contract/resource'

/** Parameters as a surface received them, not yet looked at, with what was wrong already in reading them. */
export type Asked = { raw: Record<string, unknown>; loose: boolean; issues: readonly Issue[] }

/** A write as a surface received it. A body that could not be read as JSON is anything but an object. */
export type Sent = { body: unknown; asked: Asked }

export function parseAsked(
  asked: Asked,
  { resource, definitions }: { resource: Resource; definitions: Definitions },
  report: Report,
): AnswerOptions {
  for (const { path, message } of asked.issues) report(path, message)
  return parseAnswerOptions(asked.raw, { resource, definitions, loose: asked.loose }, report)
}

/** The body as an object; one problem is reported, and nothing is found in it, when it is something else. */
export function parseBody(body: unknown, report: Report): Record<string, unknown> | undefined {
  // An array is the only other thing that JSON calls neither text, number nor null.
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  report('body', 'The request body must be a JSON object.')
  return undefined
}
