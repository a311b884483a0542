import { resourceNames } from '@kith/contract/resource'
import { type Command, defineCommand, type Groups, requireOneOf } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** Words of a command line, `token create`, and what can follow them. */
type Completed = { words: readonly string[]; about: string; command: Command }

export const completion = defineCommand({
  about: `Write the completion script of a shell. In bash: source <(kith completion bash)`,
  options: { shell: { value: 'SHELL', about: `One of ${shells.join(', ')}.`, required: true, operand: true } },
  async run(values, { groups }) {
    const shell = requireOneOf('The shell', shells, values.shell)
    const commands = await commandsOf(groups)
    const text = shell === 'fish' ? fishScript(groups, commands) : bashScript(groups, commands)
    const script = shell === 'zsh' ? `#compdef kith\nautoload -U +X bashcompinit && bashcompinit\n${text}` : text
    return { text: script, json: { shell, script } }
  },
})

async function commandsOf(groups: Groups): Promise<Completed[]> {
  const all = Object.entries(groups).map(async ([word, { about, load }]): Promise<Completed[]> => {
    const loaded = await load()
    if (!('verbs' in loaded)) return [{ words: [word], about, command: loaded }]
    return Object.entries(loaded.verbs).map(([verb, command]) => ({
      words: [word, verb],
      about: command.about,
      command,
    }))
  })
  return (await Promise.all(all)).flat()
}

/** What can follow a command: its options, and for an operand that has known values, these. */
function followers({ words, command }: Completed): string[] {
  const options = Object.entries(command.options)
  const first = options.find(([, option]) => option.operand)?.[0]
  const values = first === 'resource' ? resourceNames : words[0] === 'completion' ? shells : []
  return [...values, ...options.flatMap(([name, option]) => (option.operand ? [] : [`--${name}`])), '--json', '--help']
}

/** Where no word fits, file names do. */
function bashScript(groups: Groups, commands: readonly Completed[]): string {
  const verbs = Map.groupBy(
    commands.filter(({ words }) => words.length > 1),
    ({ words: [word = ''] }) => word,
  )
  const cases = [
    ...[...verbs].map(([word, all]) => branch(`'${word}'`, [...all.map(({ words }) => words[1] ?? ''), '--help'])),
    ...commands.map((one) => branch(`'${one.words.join(' ')}'|'${one.words.join(' ')} '*`, followers(one))),
  ]
  return [
    '_kith() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" words`,
    `  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"`,
    '  case "$before" in',
    branch("''", [...Object.keys(groups), '--help', '--version']),
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _kith kith',
  ].join('\n')
}

function branch(pattern: string, words: readonly string[]): string {
  return `    ${pattern}) words='${words.join(' ')}' ;;`
}

function fishScript(groups: Groups, commands: readonly Completed[]): string {
  const line = (condition: string, rest: string, about: string) =>
    `complete -c kith -n '${condition}' ${rest} -d '${about.replaceAll(/(['\\])/g, '\\$1')}'`
  const lines = Object.entries(groups).map(([word, { about }]) => line('__fish_use_subcommand', `-f -a ${word}`, about))
  for (const one of commands) {
    const [word = '', verb] = one.words
    const seen = `__fish_seen_subcommand_from ${word}`
    const here = verb === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${verb}`
    if (verb !== undefined)
      lines.push(line(`${seen}; and test (count (commandline -opc)) -eq 2`, `-f -a ${verb}`, one.about))
    for (const [name, option] of Object.entries(one.command.options)) {
      if (!option.operand) lines.push(line(here, `-l ${name}${option.value === undefined ? '' : ' -r'}`, option.about))
    }
    const values = followers(one).filter((follower) => !follower.startsWith('--'))
    if (values.length > 0) lines.push(line(here, `-f -a '${values.join(' ')}'`, one.about))
    lines.push(line(here, '-l json', 'Answer in JSON.'))
  }
  return lines.join('\n')
}
