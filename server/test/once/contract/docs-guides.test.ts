import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { refusalStatuses } from '@kith/contract/refusal'
import { resourceNames } from '@kith/contract/resource'
import { createClient } from '@kith/sdk'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { groups } from '../../../src/commands/groups.ts'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { serverFile } from '../../setup/bundle.ts'
import { newWorkspace } from '../../workspace.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const folder = mkdtempSync(join(tmpdir(), 'kith-guides-'))
afterAll(() => rmSync(folder, { recursive: true }))

function page(name: string): string {
  return readFileSync(join(root, 'docs/integrate', name), 'utf8')
}

function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
}

/** As in a checkout, where `npx kith` is the command line and `kith` is nothing. */
const CHECKOUT = `
npx() { [ "$1" = kith ] && shift && "${process.execPath}" "${serverFile('main')}" "$@"; }
kith() { echo 'kith: command not found'; return 127; }
`

/** Runs them one after the other. A refused request ends them. */
async function runCommands(blocks: readonly string[], { token }: { token: string }, cwd = folder): Promise<void> {
  const { url } = inject('service')
  const commands = blocks
    .join('\n')
    .replaceAll(/curl (?!-sS --fail )/g, 'curl -sS --fail-with-body ')
    .replaceAll('http://localhost:3000', url)
  const env = { PATH: process.env.PATH, TOKEN: token, KITH_URL: `${url}/api`, KITH_TOKEN: token }
  await run('bash', ['-e', '-o', 'pipefail', '-c', CHECKOUT + commands], { env, cwd })
}

describe('docs/integrate/quick-starts.md', () => {
  const guide = page('quick-starts.md')

  it('has commands that run in a checkout and in a fresh workspace, and write only into a folder of their own', async () => {
    const { api } = await newWorkspace()
    const checkout = mkdtempSync(join(folder, 'checkout-'))
    // Each in a shell of its own: people copy one block.
    for (const block of blocksOf(guide, 'sh')) await runCommands([block], api, checkout)
    expect(readdirSync(checkout)).toEqual(['quick-starts'])
    expect(readFileSync(join(checkout, 'quick-starts/kith-types.ts'), 'utf8')).toContain('employees')
    const people = (await api.get('/people?include=company,externalIds&sort=name')).body
    expect(people.data).toMatchObject([
      { attributes: { name: 'Ada Lovelace' } },
      { attributes: { name: 'Grace Hopper' } },
    ])
    expect(people.included).toMatchObject([{ attributes: { name: 'Acme' } }, { attributes: { name: 'Umbrella' } }])
    expect((await api.get('/companies')).body.meta.total).toBe(4)
    expect((await api.get('/tasks')).body.meta.total).toBe(1)
  })

  it('has programs that compile', async () => {
    const given = `
import { createClient, KithError } from '@kith/sdk'
declare const warehouse: Record<'loadCursor' | 'upsert' | 'delete' | 'commit', (...given: unknown[]) => Promise<undefined>>
declare const store: Record<'loadCursor' | 'saveCursor', (cursor?: string) => Promise<undefined>>
declare function lookUp(domains: unknown): Promise<number>
const kith = createClient({ url: '', token: '' })
void KithError
`
    blocksOf(guide, 'ts').forEach((block, index) => {
      writeFileSync(join(folder, `program-${index}.ts`), given + block)
    })
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      lib: ['esnext', 'dom', 'dom.asynciterable'],
      types: [],
      skipLibCheck: true,
      paths: { '@kith/sdk': [join(root, 'sdk/src/client.ts')], '@kith/contract/*': [join(root, 'contract/src/*.ts')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder]
    const { stdout } = await run(process.execPath, tsc).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  })
})

describe('docs/integrate/sync.md', () => {
  it('has commands that run one after the other in a fresh workspace', async () => {
    const { api } = await newWorkspace()
    const checkout = mkdtempSync(join(folder, 'checkout-'))
    await runCommands(blocksOf(page('sync.md'), 'sh'), api, checkout)
    expect(readdirSync(checkout)).toEqual(['quick-starts'])
    await expect.poll(async () => (await api.get('/companies')).body.meta.total).toBe(3)
  })
})

describe('docs/integrate/webhooks.md', () => {
  it('creates an endpoint', async () => {
    const { api } = await newWorkspace()
    await runCommands(blocksOf(page('webhooks.md'), 'sh').slice(0, 1), api)
    expect((await api.get('/webhooks')).body.data).toMatchObject([{ attributes: { state: 'active' } }])
  })
})

describe('docs/integrate/sdk.md', () => {
  const guide = page('sdk.md')

  it('names every call of the client', () => {
    const parts = Object.entries(createClient({ url: 'http://localhost', token: '' }))
    const names = parts.flatMap(([name, part]) => [name, ...Object.keys(part)])
    expect(names).toContain('upsertMany')
    expect(names.filter((name) => !new RegExp(`[\`.]${name}\\b`).test(guide))).toEqual([])
  })

  it('names every kind of failure', () => {
    for (const kind of Object.keys(refusalStatuses)) expect(guide).toContain(`\`${kind}\``)
  })
})

describe('docs/integrate/errors.md', () => {
  const guide = page('errors.md')
  const rows = [...guide.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.+?) \|/gm)].map(([, status, kind, messages = '']) => ({
    status: Number(status),
    kind: kind ?? '',
    messages: [...messages.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  }))

  it('has every kind of error with its status', () => {
    const documented = Object.fromEntries(rows.map(({ kind, status }) => [kind, status]))
    expect(documented).toEqual({ ...refusalStatuses, server_error: 500 })
  })

  it('has the messages that the service sends', async () => {
    const { api, token, member, field } = await newWorkspace()
    await field('companies', { name: 'Key', type: 'text' })
    const made = (await api.post('/companies', { name: 'One', custom_fields: { key: '1' } })).body.data
    await api.post('/companies', { name: 'Two', custom_fields: { key: '1' } })
    await api.put('/schema/companies/fields/key', { unique: true })
    const viewer = await token({ user: await member('viewer') })
    const path = `/companies/${made.id}`
    const stale = { headers: { 'If-Match': '"2020-01-01T00:00:00.000Z"' } }
    const answers = [
      await api.get('/companies', { headers: { Authorization: 'Bearer x' } }),
      await (await token({ abilities: ['read'] })).delete(path),
      await viewer.delete(path),
      await api.get('/companies/nothing'),
      await api.get('/nothing'),
      await api.put('/schema/companies/fields/nothing', {}),
      await api.put('/companies', {}),
      await api.post('/companies/upsert', { name: 'x', match: { field: 'key', value: '1' } }),
      await api.patch(path, { name: 'x' }, stale),
      await api.put('/schema/companies/fields/key', {}, stale),
      await api.send('POST', '/companies', 'x'.repeat(1024 * 1024 + 1)),
    ]
    for (const { status, body } of answers) {
      const patterns = rows.filter((row) => row.status === status).flatMap(({ messages }) => messages.map(patternOf))
      expect(
        patterns.some((pattern) => pattern.test(body.message)),
        `${status} ${body.message}`,
      ).toBe(true)
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 403, 404, 405, 409, 412, 413]))
  })

  it('has the messages of invalid requests', async () => {
    const { api } = await newWorkspace()
    const section = guide.slice(guide.indexOf('## 422'))
    const patterns = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text = '']) => patternOf(text))
    const taken = { external_ids: { crm: '1' }, custom_fields: { domains: ['x.example'] } }
    const { id } = (await api.post('/companies', { name: 'x', ...taken })).body.data
    const keyed = { headers: { 'Idempotency-Key': 'used' } }
    await api.post('/companies', { name: 'x' }, keyed)
    const refused = [
      await api.post('/companies', { nme: 'x', custom_fields: { domain: ['x'] } }),
      await api.send('POST', '/companies', '[]'),
      await api.get('/companies?inclde=x&sort=x&page=0'),
      await api.get('/companies?filter[nam][$eq]=x'),
      await api.get('/companies?filter[name][$is]=x'),
      await api.get('/companies?cursor=x'),
      await api.post('/people', { name: 'x', company_id: '01kacm7krp9mcrqeke4h6bxpg9' }),
      await api.post('/opportunities', { name: 'x', custom_fields: { stage: 'x' } }),
      await api.post('/companies', { name: 'y', custom_fields: taken.custom_fields }),
      await api.post('/companies', { name: 'y', external_ids: taken.external_ids }),
      await api.patch(`/companies/${id}`, {}, { headers: { 'If-Match': 'x' } }),
      await api.post('/companies', { name: 'x' }, { headers: { 'Idempotency-Key': 'x'.repeat(256) } }),
      await api.post('/companies', { name: 'y' }, keyed),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 422))
    const messages = refused.flatMap(({ body }) => Object.values<string[]>(body.errors).flat())
    expect(messages.filter((message) => !patterns.some((pattern) => pattern.test(message)))).toEqual([])
    expect(patterns.filter((pattern) => !messages.some((message) => pattern.test(message)))).toEqual([])
  })
})

describe('docs/integrate/api-changelog.md', () => {
  it('names every endpoint', () => {
    const text = page('api-changelog.md')
    const resource = new RegExp(`^/v1/(${resourceNames.join('|')})(?=/|$)`)
    const paths = new Set(Object.keys(openApiDocument().paths).map((path) => path.replace(resource, '/v1/{resource}')))
    for (const path of paths) expect(text, path).toContain(`\`${path}\``)
  })
})

describe('the command line in the guides', () => {
  const integrate = readdirSync(join(root, 'docs/integrate')).map((name) => `docs/integrate/${name}`)

  it.each(['README.md', 'CONTRIBUTING.md', ...integrate])(
    '%s calls it as in a checkout, by commands that exist',
    (name) => {
      const text = readFileSync(join(root, name), 'utf8')
      expect(blocksOf(text, 'sh').flatMap((block) => block.match(/^(?:.*[=(|;&] *)?kith .*/gm) ?? [])).toEqual([])
      const words = [...text.matchAll(/\bnpx kith ([a-z-]+)/g)].map(([, word = '']) => word)
      expect(words.filter((word) => !Object.hasOwn(groups, word))).toEqual([])
    },
  )
})

describe('the guides', () => {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)
  const guides = below.filter((name) => name.endsWith('.md'))
  const outside = ['README.md', 'ARCHITECTURE.md', 'STYLE.md', 'CONTRIBUTING.md']
  const linksOf = new Map([...guides, ...outside].map((name) => [name, linksIn(name)]))

  it.each([...linksOf])('%s has no link to a file or heading that does not exist', (_name, links) => {
    const broken = links.filter(({ path, heading }) => {
      if (!existsSync(join(root, path))) return true
      return heading !== undefined && path.endsWith('.md') && !headingsIn(path).includes(heading)
    })
    expect(broken).toEqual([])
  })

  it.each(guides)('%s has no text that the site would take for a tag or an expression', (name) => {
    const text = textOf(name).replaceAll(/(`+)[\s\S]*?\1|<!--[\s\S]*?-->|<https?:[^>]*>/g, '')
    expect(text.match(/<(?!br>|img )[a-z/][^>\n]*>|\{\{/gi) ?? []).toEqual([])
  })

  it('can all be reached from docs/README.md', () => {
    const reached = new Set(['docs/README.md'])
    for (const name of reached) for (const { path } of linksOf.get(name) ?? []) reached.add(path)
    // The contract names this path. It leads to the guide.
    expect(guides.filter((name) => !reached.has(name))).toEqual(['docs/sync.md'])
  })
})

/** A page without its blocks of code. */
function textOf(name: string): string {
  return readFileSync(join(root, name), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
}

/** What a page of this repository links to, without code and other sites. */
function linksIn(name: string): { path: string; heading: string | undefined }[] {
  return [...textOf(name).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    .filter(([, link = '']) => !/^\w+:/.test(link))
    .map(([, link = '', heading]) => ({ path: link === '' ? name : join(dirname(name), link), heading }))
}

/** The headings of a page as they are in addresses. */
function headingsIn(name: string): string[] {
  return [...textOf(name).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** A message in which … stands for any text. */
function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('…', '[\\s\\S]*')}$`)
}
