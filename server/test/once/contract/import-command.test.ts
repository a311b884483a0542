import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createClient, type JobObject } from '@kith/sdk'
import { expect, inject, it } from 'vitest'
import { runKith } from '../../run-kith.ts'
import { newWorkspace } from '../../workspace.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-import-'))

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function ready() {
  const { api } = await newWorkspace()
  return { api, env: { KITH_URL: inject('service').url, KITH_TOKEN: api.token } }
}

it('kith import sends a file and waits, and kith job lists, shows, undoes and cancels it', async () => {
  const { api, env } = await ready()
  const file = fileOf('a.csv', 'name,Website,Secret\nAcme,acme.com,x\n,b.com,y\n')
  const mapped = ['--map', 'Website=custom_fields.domains', '--map', 'Secret=']
  const args = ['import', 'companies', file, '--match', 'domains', ...mapped]
  const dry = await runKith([...args, '--dry-run', '--wait'], env)
  expect(dry.stdout, dry.stderr).toMatch(/dry run of an import of companies\) is done: 2 of 2 rows, 1 created/)
  const ran = await runKith([...args, '--wait', '--json'], env)
  expect(ran.code, ran.stderr).toBe(1)
  expect(ran.stderr).toMatch(/^2 rows, /)
  const { id, attributes } = JSON.parse(ran.stdout)
  expect(attributes).toMatchObject({ state: 'done', mode: 'upsert', progress: { created: 1, failed: 1 } })
  expect((await api.get('/companies')).body.meta.total).toBe(1)
  const listed = await runKith(['job', 'list'], env)
  expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id} +import +companies +done +2/2 +1`))
  const shown = await runKith(['job', 'show', id], env)
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Row 2: The name field is required.') })
  const undone = await runKith(['job', 'undo', id, '--wait'], env, { isInteractive: true })
  expect(undone.stdout, undone.stderr).toMatch(/\(undo of companies\) is done: 1 of 1 row,/)
  expect(undone.code).toBe(0)
  expect(undone.stderr).toContain('\r')
  expect((await api.get('/companies')).body.meta.total).toBe(0)
  const open = (await api.post('/jobs', { type: 'import', resource: 'companies', format: 'csv', mode: 'create' })).body
    .data.id
  const cancelled = await runKith(['job', 'cancel', open], env)
  expect(cancelled.stdout, cancelled.stderr).toMatch(/\(import of companies\) is cancelled: 0 of 0 rows/)
})

it('kith import --wait exits with 1 and names the first failed rows when rows failed', async () => {
  const { api, env } = await ready()
  const good = await runKith(['import', 'companies', fileOf('good.csv', 'name\nAcme\n'), '--wait'], env)
  expect(good, good.stderr).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Row') })
  const bad = fileOf('bad.csv', `name,domains\n${',x.com\n'.repeat(22)}Globex,globex.com\n`)
  const args = ['import', 'companies', bad, '--map', 'domains=custom_fields.domains']
  for (const more of [['--dry-run', '--wait'], ['--wait']]) {
    const { code, stdout } = await runKith([...args, ...more], env)
    expect(code).toBe(1)
    const [, ...lines] = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(21)
    expect(lines[0]).toBe('Row 1: The name field is required.')
    expect(lines[20]).toMatch(/^22 rows failed\. All of them: GET \/v1\/jobs\/\w+\/results\?outcome=failed/)
  }
  expect((await api.get('/companies?filter[name][$eq]=Globex')).body.meta.total).toBe(1)
})

it('kith job --wait exits with 1 for a job that was cancelled', async () => {
  const { api, env } = await ready()
  const input = { type: 'import', resource: 'companies', format: 'csv', mode: 'create' }
  const { id } = (await api.post('/jobs', input)).body.data
  await runKith(['job', 'cancel', id], env)
  const { code, stdout } = await runKith(['job', 'show', id, '--wait'], env)
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('is cancelled') })
})

it('takes standard input: the format is that of the content, or --format', async () => {
  const { api, env } = await ready()
  const imported = async (input: string | Uint8Array, ...more: string[]) => {
    const ran = await runKith(['import', 'companies', '-', '--wait', ...more], env, { input })
    expect(ran.code, ran.stderr + ran.stdout).toBe(0)
  }
  await imported('name\nÄcme\n')
  await imported('{"name": "Bolt"}\n')
  await imported(gzipSync('name\nCrane\n'))
  await imported(gzipSync('{"name": "Drum"}\n'), '--format', 'ndjson')
  const { data } = (await api.get('/companies?sort=name')).body
  const names = data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
  expect(names.toSorted()).toEqual(['Bolt', 'Crane', 'Drum', 'Äcme'])
})

it('says what is missing or wrong', async () => {
  const { env } = await ready()
  const failed = async (args: readonly string[]) => (await runKith(['import', ...args], env)).stderr
  expect(await failed(['companies'])).toContain('Missing: FILE.')
  expect(await failed(['users', fileOf('users.csv', 'name\nA\n')])).toContain('must be one of: companies')
  expect(await failed(['companies', join(folder, 'none.csv')])).toContain('cannot be read')
  expect(await failed(['companies', folder])).toContain('is a folder or a pipe. Send a file, or - for standard input.')
  expect(await failed(['companies', fileOf('b.csv', 'name\nA\n'), '--map', 'name'])).toContain('--map must be')
  expect(await failed(['companies', fileOf('c.csv', 'nmae\nA\n'), '--wait'])).toContain('did you mean name?')
  expect(await failed(['companies', fileOf('d.csv', '"cut off')])).toContain('never closed')
})

it('a file that is refused leaves no job that waits, of which a workspace can have only five', async () => {
  const { api, env } = await ready()
  const file = fileOf('e.csv.gz', 'not packed')
  for (let time = 0; time < 6; time++) {
    expect((await runKith(['import', 'companies', file], env)).stderr).toContain('The gzip data is damaged')
  }
  const { data } = (await api.get('/jobs')).body
  expect(data.map((job: JobObject) => job.attributes.state)).toEqual(Array(6).fill('cancelled'))
})

it('the client imports files, follows jobs and reads results', async () => {
  const { env } = await ready()
  const client = createClient({ url: `${env.KITH_URL}/api`, token: env.KITH_TOKEN })
  const lines = '{"name":"Ada"}\n{"nmae":"Bob"}\n'
  const { data } = await client.people.import(gzipSync(lines), { format: 'ndjson', gzip: true, name: 'Two' })
  const states: string[] = []
  const ended = await client.jobs.ended(data.id, { onProgress: (job) => states.push(job.attributes.state) })
  expect(ended.data.attributes).toMatchObject({ state: 'done', name: 'Two', progress: { created: 1, failed: 1 } })
  expect(states.at(-1)).toBe('done')
  const results = []
  for await (const result of client.jobs.results(data.id, { outcome: 'failed' })) results.push(result)
  expect(results).toMatchObject([{ row: 2, outcome: 'failed', errors: { nmae: [expect.any(String)] } }])
  expect((await client.jobs.list()).data).toHaveLength(1)
  const undo = await client.jobs.undo(data.id)
  expect((await client.jobs.ended(undo.data.id)).data.attributes.progress).toMatchObject({ updated: 1 })
})
