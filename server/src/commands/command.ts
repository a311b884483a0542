import { suggestion } from '@kith/contract/nearest'
import { Refusal } from '@kith/contract/refusal'
import type { Config, Environment } from '../config.ts'
import { BadConfig } from '../secret.ts'
import { codeOf, DatabaseBusy, fileProblem } from '../storage/engines/storage-trouble.ts'

/** An option of a command. `value` is its placeholder in the usage line; an option without it is a flag. */
export type Option = {
  about: string
  value?: string
  required?: true
  /** Written without its name: `kith backup FILE`. */
  operand?: true
  /** May be given several times. The value is a list. An operand that repeats is the last one. */
  repeats?: true
}

export type Options = Readonly<Record<string, Option>>

/** Options of many commands. */
export const workspaceOption = { value: 'S', about: 'The slug of the workspace.', required: true } as const

export const emailOption = { value: 'E', about: 'The email address of the user.', required: true } as const

/** The values of the options, by name. */
export type Values<O extends Options> = {
  readonly [name in keyof O]: O[name] extends { value: string }
    ? ValueOf<O[name]> | (O[name] extends { required: true } ? never : undefined)
    : boolean
}

type ValueOf<One> = One extends { repeats: true } ? readonly string[] : string

/** The functions of the process that the command line needs. */
export type Terminal = {
  /** Read only by commands that need a configuration. */
  environment(): Environment
  printError(text: string): void
  /** Prints an answer or a part of it, and waits until it is written. */
  write(text: string): Promise<void>
  /** Whether messages go to a terminal, where people can watch progress. */
  isInteractive: boolean
  /** The width of the terminal that shows the output; undefined if it goes elsewhere. */
  columns: number | undefined
  /** All of standard input. */
  readInput(): Promise<Uint8Array<ArrayBuffer>>
  /** Aborted when the user ends a running command (Ctrl-C). Without this call, signals end the process. */
  ending(): AbortSignal
  /** Runs the service. The entry point passes it in, so that other commands do not load it. */
  serve(config: Config): Promise<void>
}

export type Context = Terminal & {
  /** Read on first use: commands that call a service over HTTP need none. */
  readonly config: Config
  /** Whether to create the database if it does not exist. */
  creates: boolean
  groups: Groups
  now(): Date
  /** Prints a line for the user that is not part of the answer. */
  tell(line: string): void
}

/** The result of a command: `text`, or plain data with `--json`. */
export type Answer = {
  text: string
  json: unknown
  /** Whether the answer reports a problem: the exit code is 1. */
  failed?: boolean
}

export type Command = {
  about: string
  /** Whether to create the database if it does not exist. */
  creates?: true
  /** Whether the command runs until it is stopped and writes to its log. */
  logs?: true
  options: Options
  run(values: Values<Options>, context: Context): Promise<Answer | undefined>
}

/** Several commands under one word: `kith token create`, `kith token list`. */
export type Group = { verbs: Readonly<Record<string, Command>> }

/** The commands by their first word. Each is loaded only when it is used. */
export type Groups = Readonly<Record<string, { about: string; load(): Promise<Command | Group> }>>

type TypedCommand<O extends Options> = Omit<Command, 'options' | 'run'> & {
  options: O
  run(values: Values<O>, context: Context): Promise<Answer | undefined>
}

/** Derives the types of the values from the options. */
export function defineCommand<const O extends Options>(command: TypedCommand<O>): Command {
  // The values were parsed with these options.
  return { ...command, run: (values, context) => command.run(values as Values<O>, context) }
}

/** An expected failure with a one-line explanation. */
export class Failure extends Error {}

/** The program that reads the output has ended, as in `kith export people | head`. That is no failure. */
export class OutputClosed extends Error {}

/** The arguments are wrong. */
export class BadUsage extends Error {}

/** The text of an option, or of standard input if it is `-`. */
export async function textIn(value: string, context: Pick<Terminal, 'readInput'>): Promise<string> {
  return value === '-' ? inputText(context) : value
}

export async function inputText({ readInput }: Pick<Terminal, 'readInput'>): Promise<string> {
  return new TextDecoder().decode(await readInput())
}

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
  if (codeOf(error) === 'EEXIST') return `${fileOf(error)} exists. Choose another name, or add --force to overwrite it.`
  return `${fileOf(error)} cannot be used: ${problem}. Check the path, its permissions and the space on the disk.`
}

/** The path in an error of the file system. Errors of a write have none. */
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
