import { describe, expect, test } from 'vitest'
import { BadUsage, type Options } from './command.ts'
import { parseArguments } from './run-command.ts'

const options: Options = {
  file: { value: 'FILE', about: 'Where to.', required: true, operand: true },
  name: { value: 'N', about: 'A name.', required: true },
  color: { value: 'C', about: 'A color.' },
  loud: { about: 'Loudly.' },
}

const USAGE = ' Usage: kith paint FILE --name N [--color C] [--loud]'

function parse(line: string) {
  return parseArguments('paint', options, line.split(' '))
}

function problemOf(line: string): string {
  try {
    parse(line)
  } catch (error) {
    if (error instanceof BadUsage && error.message.endsWith(USAGE)) return error.message.slice(0, -USAGE.length)
    throw error
  }
  return 'none'
}

describe('arguments are read', () => {
  test('with only what is needed', () => {
    expect(parse('out.png --name Ada')).toEqual({
      json: false,
      help: false,
      values: { file: 'out.png', name: 'Ada', color: undefined, loud: false },
    })
  })

  test('in any order, with equals signs, and after a double dash', () => {
    const values = { file: '-out.png', name: '-Ada', color: 'red', loud: true }
    expect(parse('--loud --color red --json --name=-Ada -- -out.png')).toEqual({ json: true, help: false, values })
  })

  test('and the rest is optional with --help', () => {
    expect(parse('--help').help).toBe(true)
    expect(parse('-h').help).toBe(true)
  })
})

test.each([
  ['out.png', 'Missing: --name.'],
  ['--loud', 'Missing: FILE, --name.'],
  ['a b --name Ada', 'Unexpected argument b.'],
  ['a --name Ada --colour red', 'Unknown option --colour. Did you mean --color?'],
  ['a --name Ada -x', 'Unknown option -x.'],
  ['a --name Ada --loud=yes', '--loud takes no value.'],
  ['a --name', '--name needs a value.'],
  ['a --name=', '--name needs a value.'],
  ['a --name --loud', '--name needs a value; one that begins with a dash is written --name=--loud.'],
  ['a --name Ada --name Eve', '--name is given twice.'],
])('%s is refused: %s', (line, problem) => {
  expect(problemOf(line)).toBe(problem)
})
