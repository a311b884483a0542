import { parseArgs } from 'node:util'
import { suggestion } from '@kith/contract/nearest'
import type { Config } from '../config.ts'
import { version } from '../version.ts'
import {
  BadUsage,
  type Command,
  type Context,
  describeFailure,
  type Group,
  type Option,
  type Options,
  OutputClosed,
  type Terminal,
  type Values,
} from './command.ts'
import { groups } from './groups.ts'
import { alignColumns } from './table.ts'

/** Runs a command and returns the exit code of the process. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { output, code } = await answerTo(args, terminal)
    if (output) await terminal.write(`${output}\n`)
    return code
  } catch (error) {
    if (error instanceof OutputClosed) return 0
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

async function run(
  { name, command, args }: { name: string; command: Command; args: readonly string[] },
  terminal: Terminal,
): Promise<Outcome> {
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
    groups,
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
    'kith COMMAND --help shows its options. Every command takes --json. kith --version prints the version.',
  ].join('\n')
}

function unknownWord(what: string, near: string, usage: string): BadUsage {
  return new BadUsage(`Unknown ${what}.${near} Usage: ${usage}`)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h' || word === 'help'
}

/** Parses the arguments of one command. Unknown options are refused with a suggestion. */
export function parseArguments(
  name: string,
  options: Options,
  args: readonly string[],
): { json: boolean; help: boolean; values: Values<Options> } {
  const refuse = (problem: string): never => {
    throw new BadUsage(`${problem} Usage: ${usageLine(name, options)}`)
  }
  const named = Object.entries({ ...options, ...EVERYWHERE }).filter(([, option]) => !option.operand)
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      named.map(([key, option]) => [key, { type: takesValue(option) ? 'string' : 'boolean' }]),
    ),
    strict: false,
    tokens: true,
  })
  const operands = Object.keys(options).filter((key) => options[key]?.operand)
  const given = new Map<string, GivenValue>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      const operand = operands.find((key) => !given.has(key) || options[key]?.repeats)
      if (operand === undefined) refuse(`Unexpected argument ${token.value}.`)
      else given.set(operand, withEarlier(options[operand], given.get(operand), token.value))
      continue
    }
    if (token.rawName === '-h') {
      given.set('help', true)
      continue
    }
    const option = named.find(([key]) => key === token.name)?.[1]
    if (option === undefined || !token.rawName.startsWith('--')) {
      const names = named.map(([key]) => `--${key}`)
      refuse(`Unknown option ${token.rawName}.${suggestion(token.rawName, names)}`)
    } else if (given.has(token.name) && !option.repeats) refuse(`${token.rawName} is given twice.`)
    else given.set(token.name, withEarlier(option, given.get(token.name), givenValue(option, token, refuse)))
  }
  const help = given.has('help')
  const missing = Object.keys(options).filter((key) => options[key]?.required && !given.has(key))
  if (!help && missing.length > 0) refuse(`Missing: ${missing.map((key) => shownName(key, options[key])).join(', ')}.`)
  return { json: given.has('json'), help, values: valuesOf(options, given) }
}

type GivenValue = string | true | readonly (string | true)[]

function withEarlier(option: Option | undefined, earlier: GivenValue | undefined, value: string | true): GivenValue {
  return option?.repeats ? [earlier ?? [], value].flat() : value
}

function givenValue(
  option: Option,
  token: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
  refuse: (problem: string) => never,
): string | true {
  if (!takesValue(option)) return token.value === undefined ? true : refuse(`${token.rawName} takes no value.`)
  if (token.value === undefined || token.value === '') return refuse(`${token.rawName} needs a value.`)
  if (!token.inlineValue && /^--|^-h$/.test(token.value)) {
    return refuse(
      `${token.rawName} needs a value; one that begins with a dash is written ${token.rawName}=${token.value}.`,
    )
  }
  return token.value
}

function valuesOf(options: Options, given: ReadonlyMap<string, GivenValue>): Values<Options> {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => {
      return [key, takesValue(option) ? given.get(key) : given.has(key)]
    }),
    // Each value has the type of its option, which fromEntries cannot express.
  ) as Values<Options>
}

function takesValue(option: Option): boolean {
  return option.value !== undefined
}

function shownName(key: string, option: Option | undefined): string {
  return option?.operand ? (option.value ?? key) : `--${key}`
}

/** The options of every command. */
const EVERYWHERE: Options = { json: { about: 'Answer in JSON.' }, help: { about: 'Show this.' } }

/** `kith user create --email E --name N [--password-stdin]` */
function usageLine(name: string, options: Options): string {
  const parts = Object.entries(options).map(([key, option]) => {
    const part = shownOption(key, option) + (option.operand && option.repeats ? '...' : '')
    return option.required ? part : `[${part}]`
  })
  return ['kith', name, ...parts].join(' ')
}

function commandHelp(name: string, command: Command): string {
  const options = Object.entries({ ...command.options, ...EVERYWHERE })
  const rows = options.map(([key, option]) => [`  ${shownOption(key, option)}`, option.about])
  return [`Usage: ${usageLine(name, command.options)}`, '', command.about, '', ...alignColumns(rows)].join('\n')
}

function groupHelp(name: string, group: Group): string {
  const rows = Object.entries(group.verbs).flatMap(([verb, command]) => [
    `  ${usageLine(`${name} ${verb}`, command.options)}`,
    `      ${command.about}`,
  ])
  return ['Usage:', '', ...rows, '', 'Every command takes --json and --help.'].join('\n')
}

function shownOption(key: string, option: Option): string {
  if (option.operand) return option.value ?? key
  return option.value === undefined ? `--${key}` : `--${key} ${option.value}`
}
