import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'
import { runKith } from '../../run-kith.ts'
import { serverFile } from '../../setup/bundle.ts'

type More = { input?: string | Uint8Array; columns?: number }

/** A workspace with an own resource, and its command line. */
async function ready() {
  const workspace = await workspaceWithOwn()
  const { api } = workspace
  const env = { KITH_URL: inject('service').url, KITH_TOKEN: api.token }
  const run = (args: readonly string[], more: More = {}) => runKith(args, env, more)
  /** The output of a command that works. */
  const kith = async (args: readonly string[], more: More = {}) => {
    const { code, stdout, stderr } = await run(args, more)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const json = async (...args: string[]) => JSON.parse(await kith([...args, '--json']))
  return { ...workspace, env, run, kith, json }
}

describe('kith create, get, update, upsert and delete', () => {
  it('write attributes as pairs: custom fields by their codes, in the type of the field', async () => {
    const { kith, json, owner, field } = await ready()
    await field('companies', { name: 'Sizes', type: 'multi-select', options: ['S', 'M'] })
    const made = await kith(['create', 'companies', 'name=Acme', 'domains=acme.com', 'icp=true', 'sizes=S'])
    const [, id = ''] = /^Created companies (\w{26}) \(Acme\)\.\n$/.exec(made) ?? []
    await kith(['update', 'companies', id, `account_owner_id.email=${owner.email}`, 'sizes=S', 'sizes=M'])
    const { attributes } = await json('update', 'companies', id, 'external_ids.billing=42', 'custom_fields.icp=')
    expect(attributes).toMatchObject({ account_owner_id: owner.id })
    expect(attributes.custom_fields).toMatchObject({ domains: ['acme.com'], icp: null })
    expect(attributes.custom_fields.sizes.map(({ label }: { label: string }) => label)).toEqual(['S', 'M'])
    const ada = await json('create', 'people', 'name=Ada', 'company_id.domains=acme.com', 'emails:=["ada@acme.com"]')
    expect(ada.attributes.company_id).toBe(id)
    const task = await json('create', 'tasks', 'title=Call', `people_ids=${ada.id}`)
    expect((await json('list', 'tasks', '--filter', `{"people":{"$in":["${ada.id}"]}}`))[0].id).toBe(task.id)
    expect((await json('get', 'companies', id)).attributes.name).toBe('Acme')
  })

  it('take --data from a file or standard input, and pairs win', async () => {
    const { kith, json } = await ready()
    const folder = mkdtempSync(join(tmpdir(), 'kith-data-'))
    const file = join(folder, 'project.json')
    writeFileSync(file, '{"name": "Apollo", "owner_id": null}')
    expect(await kith(['create', 'projects', '--data', file])).toMatch(/^Created projects \w{26} \(Apollo\)/)
    rmSync(folder, { recursive: true })
    const input = '{"name": "Gemini"}'
    expect(await kith(['create', 'projects', 'name=Mercury', '--data', '-'], { input })).toContain('(Mercury)')
    expect((await json('list', 'projects', '--sort', 'name')).map(named)).toEqual(['Apollo', 'Mercury'])
  })

  it('upsert says whether it created or updated', async () => {
    const { kith, json } = await ready()
    const args = ['upsert', 'companies', '--match', 'domains=acme.com']
    expect(await kith([...args, 'name=Acme'])).toMatch(/^Created companies/)
    expect(await kith([...args, 'name=Acme Inc.'])).toMatch(/^Updated companies .* \(Acme Inc\.\)/)
    expect(await kith(['upsert', 'projects', '--match', 'external_ids.erp=7', 'name=Apollo'])).toMatch(/^Created/)
    expect((await json('list', 'companies')).map(named)).toEqual(['Acme Inc.'])
  })

  it('get shows a line for each value, and delete takes IDs from standard input', async () => {
    const { kith, json, run } = await ready()
    const one = await json('create', 'companies', 'name=One', 'domains=one.com')
    const two = await json('create', 'companies', 'name=Two')
    const shown = await kith(['get', 'companies', one.id])
    expect(shown).toMatch(/^NAME +VALUE\nid +\w{26}\nname +One\ndomains +one\.com\n/)
    const both = await kith(['get', 'companies', one.id, two.id, '--fields', 'name'])
    expect(both.match(/^name +\w+$/gm)).toEqual(['name  One', 'name  Two'])
    const piped = await kith(['list', 'companies', '--fields', 'name'])
    const input = piped.replaceAll(/\t.*/g, '')
    expect(await kith(['delete', 'companies', '-'], { input })).toBe(
      input.replaceAll(/(\w+)\n/g, 'Deleted companies $1.\n'),
    )
    expect(await run(['get', 'companies', one.id])).toMatchObject({ code: 1, stdout: '' })
  })
})

function named({ attributes }: { attributes: { name: string } }): string {
  return attributes.name
}

describe('kith list', () => {
  it('is lines of values between tabs, or a table that fits the terminal', async () => {
    const { kith, json, run } = await ready()
    const record = await json('create', 'companies', `name=${'Long '.repeat(20)}name`, 'domains=acme.com')
    const cells = (await kith(['list', 'companies'])).trimEnd().split('\t')
    expect(cells.slice(0, 2)).toEqual([record.id, record.attributes.name])
    expect(cells).toContain('acme.com')
    expect(await kith(['list', 'companies', '--fields', 'custom_fields.domains,name'])).toBe(
      `${record.id}\tacme.com\t${record.attributes.name}\n`,
    )
    for (const columns of [60, 80, 240]) {
      const lines = (await kith(['list', 'companies'], { columns })).trimEnd().split('\n')
      expect(lines[0]).toMatch(/^ID +NAME/)
      expect(lines[1]).toMatch(columns === 240 ? /^\w{26} {2}Long .*name/ : /^\w{26} {2}Long .*…/)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
    }
    expect(await run(['list', 'people'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('takes --filter, --sort, --limit and --all, and says on stderr that there are more', async () => {
    const { api, kith, run, json } = await ready()
    const operations = Array.from({ length: 130 }, (_, index) => ({
      op: 'create',
      data: { name: `P${String(index).padStart(3, '0')}` },
    }))
    await api.post('/projects/batch', { operations })
    const first = await run(['list', 'projects', '--sort', '-name', '--fields', 'name', '--limit', '2'])
    expect(first.stdout).toMatch(/^\w{26}\tP129\n\w{26}\tP128\n$/)
    expect(first.stderr).toBe('2 of 130 projects. --limit or --all shows more.\n')
    expect((await run(['list', 'projects'])).stdout.split('\n')).toHaveLength(31)
    expect((await run(['list', 'projects', '--limit', '120'])).stdout.split('\n')).toHaveLength(121)
    expect(await json('list', 'projects', '--all', '--sort', 'name')).toHaveLength(130)
    const filter = '{"name": {"$contains": "P00"}}'
    expect((await kith(['list', 'projects', '--filter', '-'], { input: filter })).split('\n')).toHaveLength(11)
  })
})

it('problems are named by their paths; wrong use is exit code 2, refusals are 1', async () => {
  const { run, env } = await ready()
  const failed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args)
    expect(stdout).toBe('')
    return `${code} ${stderr}`
  }
  const problems = await failed('create', 'companies', 'name=', 'domains=no domain', 'icp=perhaps')
  expect(problems).toMatch(/^1 name: The name field is required\.\n/)
  expect(problems).toMatch(/^custom_fields\.domains\.0: .+\ncustom_fields\.icp: .+$/m)
  expect(await failed('create', 'companies', 'nmae=Acme')).toMatch(/^1 .*nmae: .*name/s)
  expect(await failed('list', 'nothing')).toMatch(/^1 /)
  expect(await failed('list', 'people', '--filter', '{"nmae":{"$eq":"x"}}')).toMatch(/^1 filter\.nmae: /)
  expect(await failed('list', 'people', '--limit', '0')).toMatch(/^2 --limit must be/)
  expect(await failed('list', 'people', '--limit', '5', '--all')).toMatch(/^2 Use --limit or --all/)
  expect(await failed('create', 'people')).toMatch(/^2 Give the attributes/)
  expect(await failed('create', 'people', 'Ada')).toMatch(/^2 Ada must be written KEY=VALUE/)
  expect(await failed('create', 'people', 'emails:=[')).toMatch(/^2 The value of emails must be JSON/)
  expect(await failed('create', 'people', '--data', '-')).toMatch(/^2 --data must be a JSON object/)
  expect(await failed('create', 'people', '--data', '/nowhere.json')).toMatch(/^1 \/nowhere\.json cannot be used/)
  expect(await failed('upsert', 'companies', 'name=Acme', '--match', 'domains')).toMatch(/^2 --match must be/)
  expect(await failed('delete', 'people', '-')).toMatch(/^2 Standard input has no IDs/)
  expect((await runKith(['list', 'people'], { KITH_TOKEN: env.KITH_TOKEN })).stderr).toContain('KITH_URL')
})

it('an export whose reader ends is no failure: kith export | head', async () => {
  const { api, env } = await ready()
  const text = 'x'.repeat(5000)
  const operations = Array.from({ length: 200 }, () => ({ op: 'create', data: { name: 'A', custom_fields: { text } } }))
  await api.post('/schema/projects/fields', { name: 'Text', type: 'textarea' })
  expect((await api.post('/projects/batch', { operations })).body.meta.failed).toBe(0)
  const pipe = `set -o pipefail; "${process.execPath}" "${serverFile('main')}" export projects | head -n 1 | cut -c1-10`
  const ran = await promisify(execFile)('bash', ['-c', pipe], { env: { PATH: process.env.PATH, ...env } })
  expect(ran).toEqual({
    stdout: expect.stringMatching(/^\{"id":"01\w\n$/),
    stderr: expect.not.stringContaining('closed'),
  })
})
