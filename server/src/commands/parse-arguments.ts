import { parseArgs } from 'node:util'
import { suggestion } from '@kith/contract/nearest'
import type { Option, Options, Values } from './command.ts'
import { BadUsage } from './failure.ts'
import { EVERYWHERE, usageLine } from './usage.ts'

type Parsed = { json: boolean; help: boolean; values: Values<Options> }

/** Parses the arguments of one command. Unknown options are refused with a suggestion. */
export function parseArguments(name: string, options: Options, args: readonly string[]): Parsed {
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
  const given = new Map<string, string | true>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      const operand = operands.find((key) => !given.has(key))
      if (operand === undefined) refuse(`Unexpected argument ${token.value}.`)
      else given.set(operand, token.value)
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
    else given.set(token.name, withEarlier(given.get(token.name), givenValue(option, token, refuse)))
  }
  const help = given.has('help')
  const missing = Object.keys(options).filter((key) => options[key]?.required && !given.has(key))
  if (!help && missing.length > 0) refuse(`Missing: ${missing.map((key) => shownName(key, options[key])).join(', ')}.`)
  return { json: given.has('json'), help, values: valuesOf(options, given) }
}

function withEarlier(earlier: string | true | undefined, value: string | true): string | true {
  return earlier === undefined ? value : `${earlier}\n${value}`
}

type OptionToken = { rawName: string; value: string | undefined; inlineValue: boolean | undefined }

function givenValue(option: Option, token: OptionToken, refuse: (problem: string) => never): string | true {
  if (!takesValue(option)) return token.value === undefined ? true : refuse(`${token.rawName} takes no value.`)
  if (token.value === undefined || token.value === '') return refuse(`${token.rawName} needs a value.`)
  if (!token.inlineValue && token.value.startsWith('-')) {
    return refuse(
      `${token.rawName} needs a value; one that begins with a dash is written ${token.rawName}=${token.value}.`,
    )
  }
  return token.value
}

function valuesOf(options: Options, given: ReadonlyMap<string, string | true>): Values<Options> {
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
