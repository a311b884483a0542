import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { derived } from '../../derived/derived-state.ts'
import { installation, newFolder, newSecret } from '../../installation.ts'
import { runKith } from '../../run-kith.ts'
import { runtimeAt } from '../../workspace.ts'

const here = ['--workspace', 'acme']

/** An installation with a workspace and its own resources `projects` and, archived, `cars`. */
async function filled(secret: string) {
  const old = await installation(undefined, secret)
  const run = async (...args: string[]) => {
    const ran = await old.kith(...args)
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    return ran.stdout
  }
  await run('migrate')
  await run('user', 'create', '--email', 'ada@example.com', '--name', 'Ada')
  await run('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--owner', 'ada@example.com')
  for (const [name, singular] of [
    ['Projects', 'Project'],
    ['Cars', 'Car'],
  ] as const) {
    await run('resource', 'create', ...here, '--name', name, '--singular', singular, '--icon', 'rocket')
    await run('field', 'create', ...here, '--entity', name.toLowerCase(), '--name', 'Goal', '--type', 'text')
  }
  expect(await run('sample', ...here, '--own', 'projects=30', '--own', 'cars=4')).toMatch(
    /^Created 30 projects, 4 cars/,
  )
  await run('resource', 'archive', ...here, '--code', 'cars')
  const made = await run(
    'token',
    'create',
    ...here,
    '--name',
    'All',
    '--user',
    'ada@example.com',
    '--abilities',
    'read,create,update,delete',
    '--json',
  )
  return { old, run, token: String(JSON.parse(made).token) }
}

it('kith resource, field, sample, export, import and types take own resources', async () => {
  const { old, run, token } = await filled(newSecret())
  const listed = await run('resource', 'list', ...here)
  expect(listed).toMatch(/projects +Projects +Project +own +1 +30\n/)
  expect(listed).toMatch(/cars +Cars +Car +archived +1 +-/)
  expect(await run('field', 'list', ...here, '--entity', 'projects')).toContain('goal')
  const changed = await run(
    'resource',
    'update',
    ...here,
    '--code',
    'projects',
    '--name',
    'Ventures',
    '--no-icon',
    '--json',
  )
  expect(JSON.parse(changed).attributes).toMatchObject({ name: 'Ventures', singular: 'Project', icon: null })

  const failed = async (...args: string[]) => (await old.kith(...args)).stderr
  expect(await failed('field', 'list', ...here, '--entity', 'project')).toContain('Did you mean projects?')
  expect(await failed('sample', ...here, '--own', 'cars=3')).toContain('The resource cars is archived.')
  expect(await failed('sample', ...here, '--own', 'cars')).toContain('such as projects=100')
  expect(await failed('resource', 'delete', ...here, '--code', 'projects')).toContain('must be archived')
  expect(await failed('resource', 'archive', ...here, '--code', 'companies')).toContain('part of every workspace')

  const service = await old.serve()
  const env = { KITH_URL: service.url, KITH_TOKEN: token }
  const exported = await runKith(['export', 'projects', '--format', 'csv'], env)
  expect(exported.stdout).toMatch(/^id,name,owner_id,.*custom_fields\.goal/)
  expect(exported.stdout.trim().split('\n')).toHaveLength(31)
  const file = join(newFolder(), 'projects.csv')
  writeFileSync(file, 'name,custom_fields.goal\nApollo,Moon\n')
  expect((await runKith(['import', 'projects', file, '--wait'], env)).stdout).toContain('1 created')
  const { stdout } = await runKith(['types'], env)
  expect(stdout).toContain('  projects: {\n    /** Goal (text) */\n    goal: string | null\n  }')
  expect(stdout).not.toContain('cars')
  await service.stop()

  const folder = join(newFolder(), 'acme')
  await run('workspace', 'delete', ...here, '--export', folder)
  const lines = (name: string) =>
    readFileSync(join(folder, `${name}.ndjson`), 'utf8')
      .trim()
      .split('\n')
  expect(lines('projects')).toHaveLength(32)
  expect(lines('cars').length).toBeGreaterThanOrEqual(4)
  expect(lines('schema').map((line) => JSON.parse(line).id)).toEqual(expect.arrayContaining(['projects', 'cars']))
  expect(lines('fields').filter((line) => JSON.parse(line).code === 'goal')).toHaveLength(2)
  expect(existsSync(join(folder, 'members.ndjson'))).toBe(true)
})

it('a backup brings own resources back, archived ones included, with everything that is derived', async () => {
  const secret = newSecret()
  const { old, run } = await filled(secret)
  const file = join(newFolder(), 'all.kith')
  const stateOf = async (url: string) => {
    const runtime = runtimeAt(url, secret)
    const scope = await enterAsOperator(runtime, 'acme')
    const state = await derived({ id: scope.workspace.id, runtime })
    await runtime.engine.close()
    return { state, resources: [...scope.schema.values(), ...scope.schema.archived.values()].map(({ row }) => row) }
  }
  const before = await stateOf(old.database.url)
  expect(before.resources).toHaveLength(7)
  await run('backup', file)
  await run('reindex', ...here)
  expect(await stateOf(old.database.url)).toEqual(before)

  const fresh = await installation(undefined, secret)
  const restored = await fresh.kith('restore', file)
  expect(restored, restored.stderr).toMatchObject({ code: 0 })
  expect(await stateOf(fresh.database.url)).toEqual(before)
  await fresh.kith('resource', 'restore', ...here, '--code', 'cars')
  expect((await fresh.kith('resource', 'list', ...here)).stdout).toMatch(/cars +Cars +Car +own +1 +4\n/)
})
