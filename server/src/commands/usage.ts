import type { Command, Group, Option, Options } from './command.ts'
import { alignColumns } from './table.ts'

/** The options of every command. */
export const EVERYWHERE: Options = { json: { about: 'Answer in JSON.' }, help: { about: 'Show this.' } }

/** `kith user create --email E --name N [--password-stdin]` */
export function usageLine(name: string, options: Options): string {
  const parts = Object.entries(options).map(([key, option]) => {
    const part = shownOption(key, option)
    return option.required ? part : `[${part}]`
  })
  return ['kith', name, ...parts].join(' ')
}

export function commandHelp(name: string, command: Command): string {
  const options = Object.entries({ ...command.options, ...EVERYWHERE })
  const rows = options.map(([key, option]) => [`  ${shownOption(key, option)}`, option.about])
  return [`Usage: ${usageLine(name, command.options)}`, '', command.about, '', ...alignColumns(rows)].join('\n')
}

export function groupHelp(name: string, group: Group): string {
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
