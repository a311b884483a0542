import type { Config, Environment } from '../config.ts'

/** An option of a command. `value` is its placeholder in the usage line; an option without it is a flag. */
export type Option = {
  about: string
  value?: string
  required?: true
  /** Written without its name: `kith backup FILE`. */
  operand?: true
  /** May be given several times. Its value has one line for each. */
  repeats?: true
}

export type Options = Readonly<Record<string, Option>>

/** Options of many commands. */
export const workspaceOption = { value: 'S', about: 'The slug of the workspace.', required: true } as const
export const emailOption = { value: 'E', about: 'The email address of the user.', required: true } as const

/** The values of the options, by name. */
export type Values<O extends Options> = {
  readonly [name in keyof O]: O[name] extends { value: string }
    ? O[name] extends { required: true }
      ? string
      : string | undefined
    : boolean
}

/** What the command line needs from its process. */
export type Terminal = {
  /** Read only by commands that need a configuration. */
  environment(): Environment
  printError(text: string): void
  /** Prints an answer or a part of it, and waits until it is taken. */
  write(text: string): Promise<void>
  /** Whether people see progress while it is made: messages go to a terminal. */
  isInteractive: boolean
  /** All of standard input. */
  readInput(): Promise<string>
  /** Aborted when the user ends a command that runs until then (Ctrl-C). Without this call, signals end the process. */
  ending(): AbortSignal
  /** Runs the service. The entry point passes it in, so that other commands do not load it. */
  serve(config: Config): Promise<void>
}

/** What commands need from their surroundings. */
export type Context = Terminal & {
  /** Read on first use: commands that call a service over HTTP need none. */
  readonly config: Config
  /** Whether to create the database if it does not exist. */
  creates: boolean
  now(): Date
  /** Prints a line for the user that is not part of the answer. */
  tell(line: string): void
}

/** The result of a command: `text`, or plain data with `--json`. */
export type Answer = {
  text: string
  json: unknown
  /** The answer is that something is wrong: the exit code is 1. */
  failed?: boolean
}

export type Command = {
  about: string
  /** Whether to create the database if it does not exist. */
  creates?: true
  /** It runs until it is stopped and reports in its log. */
  logs?: true
  options: Options
  run(values: Values<Options>, context: Context): Promise<Answer | undefined>
}

/** Several commands under one word: `kith token create`, `kith token list`. */
export type Group = { verbs: Readonly<Record<string, Command>> }

type Typed<O extends Options> = Omit<Command, 'options' | 'run'> & {
  options: O
  run(values: Values<O>, context: Context): Promise<Answer | undefined>
}

/** Derives the types of the values from the options. */
export function defineCommand<const O extends Options>(command: Typed<O>): Command {
  // The values were parsed with these options.
  return { ...command, run: (values, context) => command.run(values as Values<O>, context) }
}
