import { describe, expect, it } from 'vitest'
import { BadUsage, type Command } from './command.ts'
import { groups } from './groups.ts'
import { parseArguments } from './run-command.ts'

const commands: [name: string, command: Command][] = []
for (const [word, { load }] of Object.entries(groups)) {
  const loaded = await load()
  if ('verbs' in loaded) for (const [verb, one] of Object.entries(loaded.verbs)) commands.push([`${word} ${verb}`, one])
  else commands.push([word, loaded])
}

describe('8. Command line', () => {
  it('has the commands of the contract', () => {
    const words = {
      user: 'create',
      workspace: 'create list pause resume',
      member: 'add remove role',
      token: 'create list revoke',
      field: 'create update archive restore delete list',
      resource: 'create update archive restore delete list',
    }
    const verbs = Object.entries(words).flatMap(([word, all]) => all.split(' ').map((verb) => `${word} ${verb}`))
    const names = commands.map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(['serve', 'sample', 'migrate', ...verbs]))
  })

  it.each(commands)('kith %s takes --json, and refuses in one line what it does not know', (name, { options }) => {
    const needed = Object.entries(options).flatMap(([key, option]) => {
      if (!option.required) return []
      return option.operand ? ['x'] : [`--${key}=x`]
    })
    expect(parseArguments(name, options, [...needed, '--json'])).toMatchObject({ json: true })
    expect(parseArguments(name, options, needed)).toMatchObject({ json: false })
    const wrong = () => parseArguments(name, options, [...needed, '--nonsense'])
    expect(wrong).toThrow(BadUsage)
    expect(wrong).toThrow(/^Unknown option --nonsense\.[^\n]* Usage: kith [^\n]+$/)
  })
})
