import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { connectTo, type ToolClient } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord, sendFile } from '../files/files.ts'

let workspace: TestWorkspace
let tools: ToolClient

beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

beforeEach(async () => {
  tools = await connectTo(workspace)
})

describe('list_files', () => {
  it.each(testedResources)('lists the files of one of the %s, newest first', async (resource) => {
    const { api } = workspace
    const id = await newRecord(workspace, resource)
    const files = [await newFile(api, `${resource}/${id}`, 'a'), await newFile(api, `${resource}/${id}`, 'b')]
    expect(await tools.call('list_files', { resource, id })).toMatchObject({ data: files.reverse(), total: 2, page: 1 })
    expect(await tools.call('list_files', { resource, id, per_page: 1, page: 2 })).toMatchObject({ data: [files[1]] })
  })

  it('has no sibling that uploads or sends files', async () => {
    const { tools: listed } = await tools.client.listTools()
    expect(listed.map(({ name }) => name).filter((name) => /file|upload|attach|send/.test(name))).toEqual([
      'list_files',
    ])
  })
})

describe('fetch', () => {
  it('reads a text file up to its limit', async () => {
    const { api, slug } = workspace
    const record = await newRecord(workspace)
    const file = await newFile(api, record, 'notes.txt', 'Größe: 3 €')
    const read = await tools.call('fetch', { id: `files/${file.id}` })
    expect(read).toMatchObject({ id: `files/${file.id}`, title: 'notes.txt', text: 'Größe: 3 €' })
    expect(read.url).toMatch(new RegExp(`/${slug}/companies/${record}$`))
    expect(read.metadata).toMatchObject({ resource: 'companies', record_id: record, size: 14, truncated: false })
    const long = await newFile(api, record, 'long.txt', '€ and more '.repeat(100_000))
    const part = await tools.call('fetch', { id: `files/${long.id}` })
    expect(part.metadata).toMatchObject({ truncated: true })
    expect(String(part.text).length).toBeGreaterThan(10_000)
    expect('€ and more '.repeat(100_000).startsWith(String(part.text))).toBe(true)
  })

  it.each([
    ['application/pdf', 'a text'],
    ['text/plain', Buffer.from([0xff, 0xfe, 0x00])],
    ['text/plain', 'zero \0 byte'],
  ])('says what it is if it is no text: %s', async (type, bytes) => {
    const sent = await sendFile(workspace.api, await newRecord(workspace), 'a', { bytes, 'Content-Type': type })
    const read = await tools.call('fetch', { id: `files/${sent.body.data.id}` })
    expect(read.text).toBe(`This file is not text: ${type}, ${sent.body.data.attributes.size} bytes.`)
  })

  it('refuses files that do not exist here', async () => {
    const other = await newWorkspace()
    const { id } = await newFile(other.api, await newRecord(other), 'a')
    for (const unknown of [`files/${id}`, 'files/x', `files/${id}/content`]) {
      expect(await tools.refused('fetch', { id: unknown })).toMatch(/^No file with the ID|must be one that search gave/)
    }
  })
})
