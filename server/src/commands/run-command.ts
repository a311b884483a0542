import { suggestion } from '@kith/contract/nearest'
import type { Config } from '../config.ts'
import { version } from '../scope/version.ts'
import type { Command, Context, Group, Terminal } from './command.ts'
import { BadUsage, describeFailure, exitCodeOf } from './failure.ts'
import { groups } from './groups.ts'
import { parseArguments } from './parse-arguments.ts'
import { alignColumns } from './table.ts'
import { commandHelp, groupHelp } from './usage.ts'

/** Runs a command and returns the exit code of the process. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const answer = await answerTo(args, terminal)
    if (answer !== undefined) terminal.print(`${answer}\n`)
    return 0
  } catch (error) {
    terminal.printError(`${describeFailure(error)}\n`)
    if (['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')) console.error(error)
    return exitCodeOf(error)
  }
}

async function answerTo(args: readonly string[], terminal: Terminal): Promise<string | undefined> {
  const [word, ...rest] = args
  if (isHelp(word)) return overview()
  if (word === '--version' || word === 'version') return version
  if (word === undefined) throw new BadUsage('Missing command. Usage: kith COMMAND (kith --help lists the commands)')
  const entry = Object.hasOwn(groups, word) ? groups[word] : undefined
  if (entry === undefined) throw unknownWord(`command ${word}`, suggestion(word, Object.keys(groups)), 'kith COMMAND')
  const loaded = await entry.load()
  if (!('verbs' in loaded)) return run({ name: word, command: loaded, args: rest }, terminal)
  const [verb, ...others] = rest
  if (isHelp(verb)) return groupHelp(word, loaded)
  return run({ name: `${word} ${verb}`, command: commandNamed(word, verb, loaded), args: others }, terminal)
}

function commandNamed(word: string, verb: string | undefined, { verbs }: Group): Command {
  const names = Object.keys(verbs)
  const usage = `kith ${word} ${names.join('|')}`
  if (verb === undefined || verb.startsWith('-')) throw new BadUsage(`Missing command. Usage: ${usage}`)
  const command = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (command) return command
  throw unknownWord(`${word} command ${verb}`, suggestion(verb, names), usage)
}

type Invocation = { name: string; command: Command; args: readonly string[] }

async function run({ name, command, args }: Invocation, terminal: Terminal): Promise<string | undefined> {
  const { json, help, values } = parseArguments(name, command.options, args)
  if (help) return commandHelp(name, command)
  const answer = await command.run(values, await contextFor(command, terminal))
  if (answer === undefined) return undefined
  return json ? JSON.stringify(answer.json, null, 2) : answer.text
}

async function contextFor(command: Command, terminal: Terminal): Promise<Context> {
  const creates = command.creates === true
  const { readConfig } = await import('../config.ts')
  let config: Config | undefined
  return {
    ...terminal,
    get config() {
      config ??= readConfig(terminal.environment(), { creates })
      return config
    },
    creates,
    now: () => new Date(),
    tell: (line) => terminal.printError(`${line}\n`),
  }
}

function overview(): string {
  const rows = Object.entries(groups).map(([word, { about }]) => [`  ${word}`, about])
  const lines = alignColumns(rows)
  return [
    'Usage: kith COMMAND',
    '',
    ...lines,
    '',
    'kith COMMAND --help says more. Every command takes --json. kith --version prints the version.',
  ].join('\n')
}

function unknownWord(what: string, near: string, usage: string): BadUsage {
  return new BadUsage(`Unknown ${what}.${near} Usage: ${usage}`)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h' || word === 'help'
}
