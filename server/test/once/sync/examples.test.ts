import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../../run-length.ts'

const examples = join(import.meta.dirname, '../../../../examples')

/** Each program, what it needs first, and the variables with which it calls the service. */
const programs = [
  ['csv-sync/sync.ts', 'KITH_TOKEN', { KITH_TOKEN: 'wrong' }, ['companies.csv']],
  ['two-way-sync/sync.ts', 'KITH_TOKEN', { KITH_TOKEN: 'wrong' }, ['/tmp']],
  ['two-way-sync/sync.py', 'KITH_TOKEN', { KITH_TOKEN: 'wrong' }, ['/tmp']],
  ['two-workspaces/sync.ts', 'LEFT_TOKEN', { LEFT_TOKEN: 'wrong', RIGHT_TOKEN: 'wrong' }, ['/tmp/none.json']],
  ['reporting-mirror/mirror.ts', 'KITH_TOKEN', { KITH_TOKEN: 'wrong', DATABASE_URL: 'postgres://127.0.0.1:1/x' }, []],
  ['airbyte-source/source.ts', '--config', {}, ['check']],
] as const

describe.each(programs)('%s', (program, missing, env, args) => {
  const run = async (given: Readonly<Record<string, string>>) => {
    const command = program.endsWith('.py') ? 'python3' : process.execPath
    const options = { env: { PATH: process.env.PATH, ...given } }
    const ended = promisify(execFile)(command, [join(examples, program), ...args], options)
    return ended.then(
      () => expect.fail('It should have failed.'),
      ({ code, stderr }: { code: number; stderr: string }) => {
        expect(code).toBe(1)
        return stderr
      },
    )
  }

  it('ends with one line that says what is missing', async () => {
    expect(await run({})).toMatch(new RegExp(`^[^\\n]*${missing}[^\\n]*\\n$`))
  })

  // Each start of a program takes half a second of a processor.
  const isRun = isLong || ['csv-sync/sync.ts', 'two-way-sync/sync.py'].includes(program)
  it.runIf(isRun && ('KITH_TOKEN' in env || 'LEFT_TOKEN' in env))(
    'ends with one line when it cannot call the service',
    async () => {
      const { url } = inject('service')
      expect(await run({ KITH_URL: url, LEFT_URL: url, ...env })).toMatch(/^[^\n]+\n$/)
    },
  )
})
