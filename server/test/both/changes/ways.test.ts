import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { archiveField, deleteField, restoreField } from '../../../src/fields/archive.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { signedInMember } from '../../browser.ts'
import { runKith } from '../../run-kith.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, sharedEnv, type TestWorkspace } from '../../workspace.ts'
import { follow, now, told } from './feed.ts'

let workspace: TestWorkspace
let cursor: string

beforeEach(async () => {
  workspace = await newWorkspace()
  cursor = await now(workspace)
})

const since = async () => (await follow(workspace, cursor)).entries

describe('7. Every change is in the feed, whatever wrote it', () => {
  it.each(resourceNames)('MCP: %s', async (type) => {
    const tools = await connectTo(workspace)
    await tools.call('create_record', { resource: type, attributes: { [registry[type].label]: 'Made' } })
    const entries = await since()
    expect(entries.map(told)).toEqual([`created ${type}`])
    expect(entries[0]?.attributes.origin).toMatchObject({ source: 'mcp', own: false })
  })

  it.each(resourceNames)('a batch: %s', async (type) => {
    const { label } = registry[type]
    const operations = [
      { op: 'create', lid: 'made', data: { [label]: 'Made' } },
      { op: 'update', id: { lid: 'made' }, data: { [label]: 'Changed' } },
      { op: 'update', id: { lid: 'made' }, data: { [label]: 'Changed' } },
      { op: 'delete', id: { lid: 'made' } },
    ]
    const { body } = await workspace.api.post(`/${type}/batch`, { operations })
    const entries = await since()
    expect(entries.map(told)).toEqual([`created ${type}`, `updated ${type} ${label}`, `deleted ${type}`])
    expect(entries[1]?.attributes.at).toBe(body.data[2].updated_at)
    expect(entries[0]?.attributes.origin).toMatchObject({ source: 'api', own: true })
  })

  it.each(resourceNames)('the application: %s', async (type) => {
    const { browser, id } = await signedInMember(workspace, 'member')
    const { cursor: after } = await follow(workspace, cursor)
    const path = `/w/${workspace.slug}/v1/${type}`
    const { body } = await browser.post(path, { [registry[type].label]: 'Made' })
    await browser.delete(`${path}/${body.data.id}`)
    const { entries } = await follow(workspace, after)
    expect(entries.map(told)).toEqual([`created ${type}`, `deleted ${type}`])
    expect(entries[0]?.attributes.origin).toEqual({ source: 'web', actor_id: id, token_id: null, own: false })
  })

  it('the command line: a field', async () => {
    const env = sharedEnv()
    const place = ['--workspace', workspace.slug]
    const ran = await runKith(
      ['field', 'create', ...place, '--entity', 'notes', '--name', 'Mood', '--type', 'text'],
      env,
    )
    expect(ran.stderr).toBe('')
    const entries = await since()
    expect(entries.map(told)).toEqual(['created custom_fields'])
    expect(entries[0]?.attributes.origin).toMatchObject({ source: 'cli', actor_id: null, own: false })
  })

  it('members: joined, renamed and left', async () => {
    const { browser, id, email } = await signedInMember(workspace, 'member')
    await browser.patch('/profile', { name: 'New Name' })
    await workspace.remove({ id, email, name: '' })
    const entries = await since()
    expect(entries.map(told)).toEqual(['created users', 'updated users name', 'deleted users'])
    expect(entries.map(({ attributes }) => attributes.record)).toEqual([null, null, null])
  })

  it('sample records, in the order in which they were made', async () => {
    const sizes = { companies: 3, people: 2, notes: 1 }
    await loadSample(await workspace.scope(), { sizes, seed: 1 })
    const entries = await since()
    expect(entries.map(told)).toEqual([
      ...Array.from({ length: 3 }, () => 'created companies'),
      ...Array.from({ length: 2 }, () => 'created people'),
      'created notes',
    ])
    for (const { attributes } of entries) {
      expect(attributes.origin?.source).toBe('sample')
      expect(attributes.at).toBe(attributes.record?.attributes.updated_at)
    }
  })

  it('definitions: archiving is deleted, and deleting an archived field has no entry', async () => {
    await workspace.field('people', { name: 'First', type: 'text', position: 1 })
    const scope = await workspace.scope()
    const address = { entity_type: 'people', code: 'first' } as const
    await archiveField(scope, address)
    await restoreField(scope, address)
    await archiveField(scope, address)
    await deleteField(scope, address)
    const { entries } = await follow(workspace, cursor, 'kind=created,deleted,restored')
    expect(entries.map(told)).toEqual([
      ...['created custom_fields', 'deleted custom_fields'],
      ...['restored custom_fields', 'deleted custom_fields'],
    ])
    expect(entries[0]?.attributes.record).toBeNull()
    // Those that moved have entries of their own.
    const moved = await follow(workspace, cursor, 'kind=updated')
    expect(new Set(moved.entries.map(told))).toEqual(new Set(['updated custom_fields position']))
    const fields = (await workspace.api.get('/custom-fields?entity_type=people')).body.data
    for (const field of fields) {
      const last = moved.entries.findLast(({ attributes }) => attributes.record_id === field.id)
      expect(last?.attributes.at).toBe(field.attributes.updated_at)
    }
  })
})
