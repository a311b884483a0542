import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { isLong } from '../../run-length.ts'

const run = promisify(execFile)
/** Finds what the workspace of the generators has installed. */
const { resolve } = createRequire(new URL('../../../../generators/package.json', import.meta.url))
const tsc = createRequire(import.meta.url).resolve('typescript/package.json')

let own: OwnService
let folder: string
beforeAll(async () => {
  own = await ownService()
  folder = mkdtempSync(join(tmpdir(), 'kith-clients-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(folderOf('openapi-fetch'), join(folder, 'node_modules/openapi-fetch'), 'dir')
  write('package.json', '{ "type": "module" }')
  write('openapi.json', JSON.stringify(openApiDocument(`${own.url}/api`)))
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', '*/*.ts'] }))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await own.stop()
})

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

function folderOf(name: string): string {
  const found = resolve.paths(name)?.map((path) => join(path, name, 'package.json'))
  for (const path of found ?? []) {
    try {
      return dirname(createRequire(import.meta.url).resolve(path))
    } catch {
      // It is in one of the next folders.
    }
  }
  throw new Error(`${name} is not installed. Run npm ci.`)
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function node(...words: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, words, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })
}

type Generator = {
  name: string
  generate(): Promise<unknown>
  /** A program that lists, filters, creates, upserts and meets an error, and prints what it got. */
  program: string
}

const SETTINGS = `const headers = { Authorization: 'Bearer ' + process.argv[2] }
const baseUrl = String(process.argv[3])
declare const process: { argv: string[] }
declare const console: { log(text: string): void }
const filter = { $not: { tasks: { $is_empty: false } }, custom_fields: { icp: { $eq: true } } }
const match = { field: 'domains', value: 'acme.com' }
`

const all: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    generate: () => node(join(folderOf('openapi-typescript'), 'bin/cli.js'), 'openapi.json', '-o', 'paths.ts'),
    program: `import createClient from 'openapi-fetch'
import type { paths } from './paths.ts'
${SETTINGS}
const { GET, POST } = createClient<paths>({ baseUrl, headers })
const made = await POST('/v1/companies', { body: { name: 'Acme', custom_fields: { icp: true } } })
const list = await GET('/v1/companies', { params: { query: { include: ['creator', 'peopleCount'], per_page: 1 } } })
const query = await POST('/v1/companies/query', { body: { filter, sort: ['name'] } })
const upserted = await POST('/v1/companies/upsert', { body: { match, name: 'Acme' } })
const wrong = await POST('/v1/companies', { body: { name: '' } })
const id: string | undefined = made.data?.data.id
console.log(JSON.stringify([
  [made.response.status, list.data?.data[0]?.id === id, list.data?.included?.length, query.data?.data[0]?.id === id],
  [upserted.data?.data.attributes.name, wrong.response.status, wrong.error && 'errors' in wrong.error],
].flat()))
`,
  },
  {
    name: 'orval',
    generate: () => {
      const output = { target: './orval.ts', client: 'fetch', mode: 'single', baseUrl: `${own.url}/api` }
      write('orval.config.mjs', `export default ${JSON.stringify({ kith: { input: './openapi.json', output } })}`)
      return node(join(folderOf('orval'), 'dist/bin/orval.mjs'), '--config', 'orval.config.mjs')
    },
    program: `import { createCompany, listCompanies, queryCompanies, upsertCompany } from './orval.ts'
${SETTINGS}
void baseUrl
const made = await createCompany({ name: 'Acme', custom_fields: { icp: true } }, undefined, { headers })
const list = await listCompanies({ include: ['creator', 'peopleCount'], per_page: 1 }, { headers })
const query = await queryCompanies({ filter, sort: ['name'] }, { headers })
const upserted = await upsertCompany({ match, name: 'Acme' }, undefined, { headers })
const wrong = await createCompany({ name: '' }, undefined, { headers })
if (made.status !== 201 || list.status !== 200 || query.status !== 200) throw new Error('refused')
if (upserted.status !== 200 && upserted.status !== 201) throw new Error('refused')
const id: string = made.data.data.id
console.log(JSON.stringify([
  [made.status, list.data.data[0]?.id === id, list.data.included?.length, query.data.data[0]?.id === id],
  [upserted.data.data.attributes.name, wrong.status, wrong.status === 422 && 'errors' in wrong.data],
].flat()))
`,
  },
  {
    name: '@hey-api/openapi-ts',
    generate: () => {
      const output = { path: './hey', importFileExtension: '.ts' }
      write('hey.config.mjs', `export default ${JSON.stringify({ input: './openapi.json', output })}`)
      return node(join(folderOf('@hey-api/openapi-ts'), 'bin/run.js'), '-f', 'hey.config.mjs')
    },
    program: `import { client } from './hey/client.gen.ts'
import { createCompany, listCompanies, queryCompanies, upsertCompany } from './hey/sdk.gen.ts'
${SETTINGS}
client.setConfig({ baseUrl, headers })
const made = await createCompany({ body: { name: 'Acme', custom_fields: { icp: true } } })
const list = await listCompanies({ query: { include: ['creator', 'peopleCount'], per_page: 1 } })
const query = await queryCompanies({ body: { filter, sort: ['name'] } })
const upserted = await upsertCompany({ body: { match, name: 'Acme' } })
const wrong = await createCompany({ body: { name: '' } })
const id: string | undefined = made.data?.data.id
console.log(JSON.stringify([
  [made.response?.status, list.data?.data[0]?.id === id, list.data?.included?.length, query.data?.data[0]?.id === id],
  [upserted.data?.data.attributes.name, wrong.response?.status, wrong.error && 'errors' in wrong.error],
].flat()))
`,
  },
]

/** The others take ten seconds of a core. */
const generators = isLong ? all : all.slice(0, 1)

describe('generated clients', () => {
  it('of openapi-typescript, orval and @hey-api/openapi-ts compile and work', async () => {
    for (const [index, { generate, program }] of generators.entries()) {
      await generate()
      write(`program${index}.ts`, program)
    }
    const checked = await node(join(dirname(tsc), 'bin/tsc'), '-p', 'tsconfig.json').catch((error) => error)
    expect(checked.stdout).toBe('')
    for (const [index, { name }] of generators.entries()) {
      const { api } = await own.workspace()
      const { stdout } = await node(`program${index}.ts`, api.token, `${own.url}/api`)
      expect([name, ...JSON.parse(stdout)]).toEqual([name, 201, true, 1, true, 'Acme', 422, true])
    }
  })
})
