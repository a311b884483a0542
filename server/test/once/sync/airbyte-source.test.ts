import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { run } from '../../../../examples/airbyte-source/source.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { gone, made } from '../../records.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let folder: string
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  folder = mkdtempSync(join(tmpdir(), 'kith-airbyte-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

// biome-ignore lint/suspicious/noExplicitAny: messages of every type of the protocol.
async function messagesOf(...args: string[]): Promise<any[]> {
  const messages: object[] = []
  const config = file('config.json', { url: `${inject('service').url}/api`, token: workspace.api.token })
  expect(await run([...args, '--config', config], (message) => messages.push(message))).toBe(0)
  return messages
}

it('spec and check say what the source needs, and whether it works', async () => {
  const source = join(import.meta.dirname, '../../../../examples/airbyte-source/source.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [source, 'spec'])
  expect(JSON.parse(stdout)).toMatchObject({ type: 'SPEC', spec: { connectionSpecification: { type: 'object' } } })
  expect(await messagesOf('check')).toMatchObject([{ connectionStatus: { status: 'SUCCEEDED' } }])
  const failed = async (config: object) => {
    const told: object[] = []
    await run(['check', '--config', file('wrong.json', config)], (message) => told.push(message))
    return told
  }
  const told = (message: string) => [{ connectionStatus: { status: 'FAILED', message } }]
  const url = `${inject('service').url}/api`
  expect(await failed({ url, token: 'kith_x' })).toMatchObject(told('Unauthenticated.'))
  const noAddress = 'The url must begin with http:// or https://: crm.example.com/api'
  expect(await failed({ url: 'crm.example.com/api', token: 'kith_x' })).toMatchObject(told(noAddress))
})

it('read returns everything, then what has changed since its state, deletions included, as discover says', async () => {
  const { api } = workspace
  const [{ catalog }] = await messagesOf('discover')
  const company = await made(api, 'companies', { external_ids: { erp: '1' } })
  const task = await made(api, 'tasks', { company_ids: [company.id], custom_fields: { status: 'Done' } })
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const read = async (state?: any) => {
    const streams = catalog.streams.map((stream: object) => ({ stream, sync_mode: 'incremental' }))
    const given = state === undefined ? [] : ['--state', file('state.json', [state])]
    const messages = await messagesOf('read', '--catalog', file('catalog.json', { streams }), ...given)
    const records = messages.filter(({ type }) => type === 'RECORD').map(({ record }) => record)
    for (const { stream, data } of records) expect(problemsOf(catalog, stream, data)).toEqual([])
    return { rows: records.map(({ data }) => data), state: messages.findLast(({ type }) => type === 'STATE').state }
  }
  const first = await read()
  expect(first.rows).toMatchObject([
    { id: company.id, name: 'One', external_ids: { erp: ['1'] }, _ab_cdc_deleted_at: null },
    { id: task.id, custom_fields: { status: { label: 'Done' } }, relationships: { companies: { data: [{}] } } },
  ])
  await api.patch(`/companies/${company.id}`, { name: 'Two' })
  await gone(api, 'tasks', task.id)
  const project = await made(api, 'projects')
  const second = await read(first.state)
  expect(second.rows).toMatchObject([
    { id: company.id, name: 'Two' },
    { id: task.id, _ab_cdc_deleted_at: expect.any(String) },
    { id: project.id, name: project.attributes.name },
  ])
  expect((await read(second.state)).rows).toEqual([])
})

type Catalog = { streams: { name: string; json_schema: { $schema: string } }[] }

function problemsOf({ streams }: Catalog, name: string, row: object): unknown[] {
  const schema = { ...streams.find((stream) => stream.name === name)?.json_schema, additionalProperties: false }
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, keywords: ['x-kith-type'] })
  formats.default(ajv)
  const validate = ajv.compile({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })
  return validate(row) ? [] : (validate.errors ?? [])
}
