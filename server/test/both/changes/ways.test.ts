import type { ResourceName } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { archiveField, deleteField, restoreField } from '../../../src/schema/define.ts'
import { signedInMember } from '../../browser.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { runKith } from '../../run-kith.ts'
import { testedResources } from '../../run-length.ts'
import { connectTo } from '../../tool-client.ts'
import { sharedEnv, type TestWorkspace } from '../../workspace.ts'
import { ended, imported } from '../jobs/jobs.ts'
import { type Entry, follow, now, told } from './feed.ts'

let workspace: TestWorkspace
let cursor: string

beforeEach(async () => {
  workspace = await workspaceWithOwn()
  cursor = await now(workspace)
})

const since = async () => (await follow(workspace, cursor)).entries

describe('7. Every change is in the feed, whatever wrote it', () => {
  it.each(testedResources)('MCP: %s', async (type) => {
    const tools = await connectTo(workspace)
    await tools.call('create_record', { resource: type, attributes: { [declared(type).label]: 'Made' } })
    const entries = await since()
    expect(entries.map(told)).toEqual([`created ${type}`])
    expect(entries[0]?.attributes.origin).toMatchObject({ source: 'mcp', own: false })
  })

  it.each(testedResources)('a batch: %s', async (type) => {
    const { label } = declared(type)
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

  it.each(testedResources)('the application: %s', async (type) => {
    const { browser, id } = await signedInMember(workspace, 'member')
    const { cursor: after } = await follow(workspace, cursor)
    const path = `/w/${workspace.slug}/v1/${type}`
    const { body } = await browser.post(path, { [declared(type).label]: 'Made' })
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
      'created custom_fields',
      'deleted custom_fields',
      'restored custom_fields',
      'deleted custom_fields',
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

/** A scope whose clock is ahead: the next changes of its records have times that no other clock shows. */
async function hourAhead() {
  const scope = await workspace.scope()
  return { ...scope, now: () => new Date(Date.now() + 3_600_000) }
}

type Way = (type: ResourceName, ids: readonly [string, string]) => Promise<unknown>

const inApplication = async () => (await signedInMember(workspace, 'admin')).browser

/** Each writes to the first of two records. */
const ways: readonly (readonly [string, Way])[] = [
  ['update', (type, [id]) => workspace.api.patch(`/${type}/${id}`, { [declared(type).label]: 'Changed' })],
  ['delete', (type, [id]) => workspace.api.delete(`/${type}/${id}`)],
  [
    'delete and restore',
    async (type, [id]) => {
      await workspace.api.delete(`/${type}/${id}`)
      await workspace.api.put(`/${type}/${id}/restore`)
    },
  ],
  [
    'merge, and its undo',
    async (type, [id, other]) => {
      const { body } = await workspace.api.put(`/${type}/${other}/merge`, { loser_ids: [id] })
      await workspace.api.put(`/merges/${body.meta.merge_id}/undo`)
    },
  ],
  [
    'a batch of two updates and a deletion',
    (type, [id]) => {
      const update = (name: string) => ({ op: 'update', id, data: { [declared(type).label]: name } })
      return workspace.api.post(`/${type}/batch`, { operations: [update('A'), update('B'), { op: 'delete', id }] })
    },
  ],
  [
    'import, and its undo',
    async (type, [id]) => {
      const file = `id,${declared(type).label}\n${id},Imported\n`
      const job = await imported(workspace.api, file, { resource: type, mode: 'update', match: 'id' })
      const { body } = await workspace.api.put(`/jobs/${job.id}/undo`)
      await ended(workspace.api, body.data.id)
    },
  ],
  [
    'MCP',
    async (type, [id]) => {
      const tools = await connectTo(workspace)
      await tools.call('update_record', { resource: type, id, attributes: { [declared(type).label]: 'Changed' } })
      await tools.call('delete_record', { resource: type, id })
    },
  ],
  [
    'the application',
    async (type, [id]) => {
      const browser = await inApplication()
      await browser.patch(`/w/${workspace.slug}/v1/${type}/${id}`, { [declared(type).label]: 'Changed' })
      await browser.post(`/w/${workspace.slug}/bulk/delete`, { resource: type, ids: [id], key: id })
    },
  ],
  [
    'the command line',
    async (type, [id]) => {
      await workspace.field(type, { name: 'Level', type: 'select', options: ['Low', 'High'] })
      await workspace.api.patch(`/${type}/${id}`, { custom_fields: { level: 'Low' } })
      const place = ['--workspace', workspace.slug, '--entity', type, '--code', 'level']
      const ran = await runKith(['field', 'update', ...place, '--options', 'High'], sharedEnv())
      expect(ran.stderr).toBe('')
    },
  ],
]

describe("9. History's at is the change's at, whatever wrote it", () => {
  it.each(ways)('%s', async (_name, write) => {
    for (const type of everyResource) {
      const before = await now(workspace)
      const ids = [(await made(workspace.api, type)).id, (await made(workspace.api, type)).id] as const
      for (const id of ids) {
        const sent = { body: { [declared(type).label]: 'Ahead' }, asked: { raw: {}, loose: false, issues: [] } }
        await updateRecord(await hourAhead(), declared(type), { id, ...sent })
      }
      await write(type, ids)
      const { entries } = await follow(workspace, before)
      const written = entries.filter(({ attributes }) => attributes.record_id === ids[0])
      expect(written.length).toBeGreaterThan(2)
      const { body } = await workspace.api.get(`/${type}/${ids[0]}/history`)
      const timesOf = (all: readonly Entry[]) => all.map(({ id, attributes }) => [id, attributes.at])
      // Latest first.
      expect(timesOf(body.data)).toEqual(timesOf(written.toReversed()))
    }
  })
})
