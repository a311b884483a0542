import { suggestion } from '@kith/contract/nearest'
import type { Command, Ground, Group } from './command.ts'
import { BadUsage, describeFailure, exitCodeOf } from './failure.ts'
import { groups } from './groups.ts'
import { parseArguments } from './parse-arguments.ts'
import { alignColumns } from './table.ts'
import { commandHelp, groupHelp } from './usage.ts'
import { readVersion } from './version.ts'

/** Runs what the command line asks for and returns the code with which the process ends. */
export async function runCommand(args: readonly string[], serve: Ground['serve']): Promise<number> {
  try {
    const answer = await answerTo(args, serve)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    if (['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '')) console.error(error)
    return exitCodeOf(error)
  }
}

async function answerTo(args: readonly string[], serve: Ground['serve']): Promise<string | undefined> {
  const [word, ...rest] = args
  if (isHelp(word)) return overview()
  if (word === '--version' || word === 'version') return readVersion()
  if (word === undefined) throw new BadUsage('Say what to do. Usage: kith COMMAND (kith --help lists the commands)')
  const entry = Object.hasOwn(groups, word) ? groups[word] : undefined
  if (entry === undefined) throw unknownWord('command', word, Object.keys(groups), 'kith COMMAND')
  const loaded = await entry.load()
  return 'verbs' in loaded ? runVerb(word, loaded, rest, serve) : run(word, loaded, rest, serve)
}

function runVerb(name: string, group: Group, args: readonly string[], serve: Ground['serve']) {
  const [verb, ...rest] = args
  if (isHelp(verb)) return groupHelp(name, group)
  const verbs = Object.keys(group.verbs)
  const command = verb !== undefined && Object.hasOwn(group.verbs, verb) ? group.verbs[verb] : undefined
  if (verb !== undefined && command) return run(`${name} ${verb}`, command, rest, serve)
  const usage = `kith ${name} ${verbs.join('|')}`
  if (verb === undefined || verb.startsWith('-')) throw new BadUsage(`Say what to do. Usage: ${usage}`)
  throw unknownWord(`${name} command`, verb, verbs, usage)
}

async function run(name: string, command: Command, args: readonly string[], serve: Ground['serve']) {
  const { json, help, values } = parseArguments(name, command.options, args)
  if (help) return commandHelp(name, command)
  const answer = await command.run(values, await ground(serve, command))
  if (answer === undefined) return undefined
  return json ? JSON.stringify(answer.json, null, 2) : answer.text
}

async function ground(serve: Ground['serve'], command: Command): Promise<Ground> {
  const creates = command.creates === true
  const { loadConfig } = await import('../config.ts')
  return {
    config: loadConfig({ creates }),
    creates,
    now: () => new Date(),
    readInput: async () => (await process.stdin.toArray()).join(''),
    tell: (line) => process.stderr.write(`${line}\n`),
    serve,
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

function unknownWord(what: string, word: string, accepted: readonly string[], usage: string): BadUsage {
  return new BadUsage(`Unknown ${what} ${word}.${suggestion(word, accepted)} Usage: ${usage}`)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h' || word === 'help'
}
