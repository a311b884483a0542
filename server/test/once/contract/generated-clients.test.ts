import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { definitionOf, valueTypeNames } from '../../field-samples.ts'
import { madeResource } from '../../own-resource.ts'
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

/** What the compiler says of everything that was written. */
async function compiled(): Promise<string> {
  const checked = await node(join(dirname(tsc), 'bin/tsc'), '-p', 'tsconfig.json').catch((error) => error)
  return checked.stdout
}

type Generator = {
  name: string
  /** What its program imports. */
  output: string
  /** Writes a client of a document to a file or folder. */
  generate(input: string, output: string): Promise<unknown>
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
    output: 'paths',
    generate: (input, output) => node(join(folderOf('openapi-typescript'), 'bin/cli.js'), input, '-o', `${output}.ts`),
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
    output: 'orval',
    generate: (input, name) => {
      const output = { target: `./${name}.ts`, client: 'fetch', mode: 'single', baseUrl: `${own.url}/api` }
      write('orval.config.mjs', `export default ${JSON.stringify({ kith: { input: `./${input}`, output } })}`)
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
    output: 'hey',
    generate: (input, name) => {
      const output = { path: `./${name}`, importFileExtension: '.ts' }
      write('hey.config.mjs', `export default ${JSON.stringify({ input: `./${input}`, output })}`)
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

/** Codes that are the names of other schemas, or those of another resource with a word more. */
const codes = [
  ['deliveries', 'delivery'],
  ['options', 'option'],
  ['sales_orders', 'sales_order'],
  ['sales_order_files', 'sales_order_file'],
]

const OWN_PROGRAM = `import createClient from 'openapi-fetch'
import type { paths } from './own0.ts'
${SETTINGS}
void filter
void match
const { GET, POST } = createClient<paths>({ baseUrl, headers })
const custom_fields = { multi_select: ['A' as const], number: 1.5 }
const made = await POST('/v1/sales_orders', { body: { name: 'One', custom_fields } })
const conditions = { custom_fields: { multi_select: { $has_any: ['A'] } } }
const query = await POST('/v1/sales_orders/query', { body: { filter: conditions, sort: ['-custom_fields.number'] } })
const task = await POST('/v1/tasks', { body: { title: 'Call', sales_order_ids: [made.data?.data.id ?? ''] } })
const list = await GET('/v1/tasks', { params: { query: { include: ['salesOrders', 'salesOrdersCount'] } } })
const [first] = list.data?.data ?? []
const choice: 'A' | 'B' | undefined = query.data?.data[0]?.attributes.custom_fields?.multi_select?.[0]?.label
const linked: 'sales_orders' | undefined = first?.relationships?.salesOrders?.data[0]?.type
const outcomes = [made.response.status, task.response.status]
console.log(JSON.stringify([...outcomes, choice, linked, first?.attributes.sales_orders_count]))
`

describe('generated clients', () => {
  it.runIf(isLong)('of the document of a workspace compile and know its resources and fields', async () => {
    const workspace = await own.workspace()
    const { api } = workspace
    for (const [code, singular_code = ''] of codes) {
      await madeResource(workspace, { name: `${code}`, singular: singular_code, code, singular_code })
    }
    for (const type of valueTypeNames) {
      const field = { name: type.replaceAll('-', '_'), type, ...definitionOf(type, ['A', 'B']) }
      expect((await api.post('/schema/sales_orders/fields', field)).status).toBe(201)
    }
    const field = {
      name: 'Delivery',
      type: 'record',
      target: 'deliveries',
      inverse: { name: 'Orders', code: 'orders' },
    }
    expect((await api.post('/schema/sales_orders/fields', field)).status).toBe(201)
    const document = await fetch(`${own.url}/api/openapi.json`, { headers: { Authorization: `Bearer ${api.token}` } })
    const input = 'own.json'
    write(input, await document.text())
    for (const [index, { generate }] of generators.entries()) await generate(input, `own${index}`)
    write('own.ts', OWN_PROGRAM)
    expect(await compiled()).toBe('')
    const { stdout } = await node('own.ts', api.token, `${own.url}/api`)
    expect(JSON.parse(stdout)).toEqual([201, 201, 'A', 'sales_orders', 1])
  })

  it('of openapi-typescript, orval and @hey-api/openapi-ts compile and work', async () => {
    for (const [index, { output, generate, program }] of generators.entries()) {
      await generate('openapi.json', output)
      write(`program${index}.ts`, program)
    }
    expect(await compiled()).toBe('')
    for (const [index, { name }] of generators.entries()) {
      const { api } = await own.workspace()
      const { stdout } = await node(`program${index}.ts`, api.token, `${own.url}/api`)
      expect([name, ...JSON.parse(stdout)]).toEqual([name, 201, true, 1, true, 'Acme', 422, true])
    }
  })
})
