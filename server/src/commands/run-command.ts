import { suggestion } from '@kith/contract/nearest'
import type { Config } from '../config.ts'
import { version } from '../scope/version.ts'
import type { Command, Context, Group, Terminal } from './command.ts'
import { BadUsage, describeFailure } from './failure.ts'
import { groups } from './groups.ts'
import { parseArguments } from './parse-arguments.ts'
import { alignColumns } from './table.ts'
import { commandHelp, groupHelp } from './usage.ts'

/** Runs a command and returns the exit code of the process. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { output, code } = await answerTo(args, terminal)
    if (output !== undefined) await terminal.write(`${output}\n`)
    return code
  } catch (error) {
    terminal.printError(`${describeFailure(error)}\n`)
    if (['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')) console.error(error)
    return error instanceof BadUsage ? 2 : 1
  }
}

type Outcome = { output: string | undefined; code: number }

async function answerTo(args: readonly string[], terminal: Terminal): Promise<Outcome> {
  const [word, ...rest] = args
  if (isHelp(word)) return done(overview())
  if (word === '--version' || word === 'version') return done(version)
  if (word === undefined) throw new BadUsage('Missing command. Usage: kith COMMAND (kith --help lists the commands)')
  const entry = Object.hasOwn(groups, word) ? groups[word] : undefined
  if (entry === undefined) throw unknownWord(`command ${word}`, suggestion(word, Object.keys(groups)), 'kith COMMAND')
  const loaded = await entry.load()
  if (!('verbs' in loaded)) return run({ name: word, command: loaded, args: rest }, terminal)
  const [verb, ...others] = rest
  if (isHelp(verb)) return done(groupHelp(word, loaded))
  return run({ name: `${word} ${verb}`, command: commandNamed(word, verb, loaded), args: others }, terminal)
}

function done(output: string | undefined): Outcome {
  return { output, code: 0 }
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

async function run({ name, command, args }: Invocation, terminal: Terminal): Promise<Outcome> {
  const { json, help, values } = parseArguments(name, command.options, args)
  if (help) return done(commandHelp(name, command))
  const answer = await command.run(values, await contextFor(command, terminal))
  if (answer === undefined) return done(undefined)
  const output = json ? JSON.stringify(answer.json, null, 2) : answer.text
  return { output, code: answer.failed ? 1 : 0 }
}

async function contextFor(command: Command, terminal: Terminal): Promise<Context> {
  const creates = command.creates === true
  const { misspeltSettings, readConfig } = await import('../config.ts')
  let config: Config | undefined
  return {
    ...terminal,
    get config() {
      if (config === undefined) {
        const env = terminal.environment()
        config = readConfig(env, { creates })
        if (!command.logs) for (const line of misspeltSettings(env)) terminal.printError(`${line}\n`)
      }
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
