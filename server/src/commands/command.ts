import type { Config } from '../config.ts'

/** An option of a command. With `value` (the word that stands for it in the usage line) it takes one; without it is a flag. */
export type Option = {
  about: string
  value?: string
  required?: true
  /** Written without its name: `kith backup FILE`. */
  operand?: true
}

export type Options = Readonly<Record<string, Option>>

/** What a caller gave, by option name. */
export type Values<O extends Options> = {
  readonly [name in keyof O]: O[name] extends { value: string }
    ? O[name] extends { required: true }
      ? string
      : string | undefined
    : boolean
}

/** What a command stands on. */
export type Ground = {
  config: Config
  /** Whether the database may be made where there is none. */
  creates: boolean
  now(): Date
  /** All of standard input. */
  readInput(): Promise<string>
  /** One line for the person at the terminal, beside the answer. */
  tell(line: string): void
  /** The service itself, which the entry point brings in. */
  serve(config: Config): Promise<void>
}

/** What a command answers: the text, or with `--json` the plain data. Neither where there is nothing to say. */
export type Answer = { text: string; json: unknown }

export type Command = {
  about: string
  /** Whether it makes the database where there is none. */
  creates?: true
  options: Options
  run(values: Values<Options>, ground: Ground): Promise<Answer | undefined>
}

/** Several commands under one word: `kith token create`, `kith token list`. */
export type Group = { verbs: Readonly<Record<string, Command>> }

/** Gives the command's own options their types. */
export function defineCommand<const O extends Options>(command: {
  about: string
  creates?: true
  options: O
  run(values: Values<O>, ground: Ground): Promise<Answer | undefined>
}): Command {
  return {
    about: command.about,
    ...(command.creates ? { creates: true } : {}),
    options: command.options,
    // The values were parsed by these very options.
    run: (values, ground) => command.run(values as Values<O>, ground),
  }
}
