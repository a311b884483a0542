import { suggestion } from '@kith/contract/nearest'
import { Refusal } from '@kith/contract/refusal'
import { BadConfig } from '../runtime/secret.ts'
import { fileProblem } from '../scope/error-code.ts'
import { DatabaseBusy } from '../scope/storage-trouble.ts'

/** An expected failure with a one-line explanation. */
export class Failure extends Error {}

/** The arguments are wrong. */
export class BadUsage extends Error {}

export function requireOneOf<Name extends string>(what: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text)
  if (found !== undefined) return found
  throw new BadUsage(`${what} must be one of ${names.join(', ')}, not ${text}.${suggestion(text, names)}`)
}

/** The message for the user. One line, except for a list of problems in the configuration. */
export function describeFailure(error: unknown): string {
  if (error instanceof BadConfig) return error.problems.join('\n')
  if (error instanceof Refusal && error.reason.kind === 'invalid') {
    return error.reason.issues.map((issue) => issue.message).join(' ')
  }
  const kinds = [Refusal, Failure, BadUsage, DatabaseBusy]
  if (error instanceof Error && kinds.some((kind) => error instanceof kind)) return error.message
  const problem = fileProblem(error)
  if (problem === undefined) return `Unexpected failure: ${messageOf(error)}`
  return `${fileOf(error)} cannot be used: ${problem}. Check the path, its permissions and the space on the disk.`
}

/** The path that an error of the file system is about. Errors of a write name none. */
function fileOf(error: unknown): string {
  const { path }: { path?: string } = Object(error)
  return path ?? 'The output'
}

/** Node collects failed connection attempts in an AggregateError without a message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll(/\s*\n\s*/g, ' ')
}
