import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { groups } from '../../../src/commands/groups.ts'
import { runKith } from '../../run-kith.ts'

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runKith(['completion', shell], {})
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

it('kith completion bash completes commands, verbs, options and resources', async () => {
  const script = await scriptFor('bash')
  const completed = (line: string) => {
    const words = line.split(' ')
    const program = `${script}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _kith; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trimEnd().split('\n')
  }
  expect(completed('kith ')).toEqual([...Object.keys(groups), '--help', '--version'])
  expect(completed('kith li')).toEqual(['list', 'listen'])
  expect(completed('kith token ')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']))
  expect(completed('kith token create --wo')).toEqual(['--workspace'])
  expect(completed('kith list pe')).toEqual(['people'])
  expect(completed('kith list people --f')).toEqual(['--filter', '--fields'])
  expect(completed('kith listen --f')).toEqual(['--filter', '--forward'])
  expect(completed('kith completion ')).toEqual(['bash', 'zsh', 'fish', '--json', '--help'])
})

it('kith completion zsh and fish have the same words; another shell is refused', async () => {
  const bash = await scriptFor('bash')
  expect(await scriptFor('zsh')).toBe(`#compdef kith\nautoload -U +X bashcompinit && bashcompinit\n${bash}`)
  const fish = await scriptFor('fish')
  for (const word of Object.keys(groups)) expect(fish).toContain(`'__fish_use_subcommand' -f -a ${word} -d '`)
  expect(fish).toContain(
    `'__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l workspace -r -d '`,
  )
  // A quote in a description does not end it.
  for (const line of fish.trimEnd().split('\n'))
    expect(line).toMatch(/^complete -c kith -n '[^']*' .* -d '([^'\\]|\\.)*'$/)
  const refused = await runKith(['completion', 'tcsh'], {})
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('must be one of bash, zsh, fish, not tcsh'),
  ])
})
