import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type EveryName, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { made, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const resource of everyResource) {
    await workspace.field(resource, { name: 'Key', type: 'tags-input', unique: true })
    await workspace.field(resource, { name: 'Twin', type: 'text' })
  }
})

const keyed = (key: string) => ({ custom_fields: { key: [key] } })
const by = (value: string, field = 'key') => ({ match: { field, value } })

function batch(resource: EveryName, operations: readonly object[], options: object = {}): Promise<Answered> {
  return workspace.api.post(`/${resource}/batch`, { operations, ...options })
}

const statusesOf = ({ body }: Answered) => body.data.map(({ status }: { status: number }) => status)

/** Two records that hold one value of the unique field `twin`. */
async function madeTwins(resource: EveryName): Promise<string[]> {
  const { api } = workspace
  await workspace.updateField(resource, 'twin', { unique: false })
  const twin = async () => (await made(api, resource, { custom_fields: { twin: 'Same' } })).id
  const ids = [await twin(), await twin()]
  await workspace.updateField(resource, 'twin', { unique: true })
  return ids
}

describe.each(testedResources)('additions 5. In a batch of %s, match instead of id', (resource) => {
  it('updates and deletes the record that holds the value, in any spelling, or an external id', async () => {
    const { api } = workspace
    const one = await made(api, resource, { ...keyed('Äpfel'), external_ids: { erp: ['1'] } })
    const other = await made(api, resource, { ...keyed('Birnen'), external_ids: { erp: ['2'] } })
    const updated = await batch(resource, [
      { op: 'update', ...by('äPFEL'), data: { custom_fields: { twin: 'first' } } },
      { op: 'update', ...by('1', 'external_ids.erp'), data: { custom_fields: { twin: 'second' } } },
      { op: 'update', ...by('birnen'), if_match: other.attributes.updated_at, data: { custom_fields: { twin: 'b' } } },
    ])
    expect(updated.status, updated.text).toBe(200)
    expect(updated.body.data.map((result: { id: string }) => result.id)).toEqual([one.id, one.id, other.id])
    const read = (await api.get(`/${resource}/${one.id}`)).body.data
    expect(read.attributes.custom_fields).toMatchObject({ key: ['Äpfel'], twin: 'second' })
    const deleted = await batch(resource, [
      { op: 'delete', ...by('Äpfel') },
      { op: 'delete', ...by('2', 'external_ids.erp') },
    ])
    expect(deleted.status, deleted.text).toBe(200)
    const result = { op: 'delete', status: 204, updated_at: null, created: false }
    expect(deleted.body.data).toEqual([
      { index: 0, id: one.id, ...result },
      { index: 1, id: other.id, ...result },
    ])
  })

  it('is found as earlier operations leave the records, also of the same kind', async () => {
    const { api } = workspace
    const { id } = await made(api, resource, keyed('v1'))
    const move = (from: string, to: string) => ({ op: 'update', ...by(from), data: keyed(to) })
    const answer = await batch(resource, [
      move('v1', 'v2'),
      move('v2', 'v3'),
      move('v1', 'v4'),
      { op: 'update', id, data: keyed('v5') },
      { op: 'update', ...by('v5'), data: { custom_fields: { key: ['v5', 'v6'] } } },
      { op: 'delete', ...by('v5') },
      { op: 'delete', ...by('v6') },
      { op: 'upsert', ...by('v6'), data: { [resource === 'tasks' || resource === 'notes' ? 'title' : 'name']: 'New' } },
      { op: 'delete', ...by('v6') },
    ])
    expect(statusesOf(answer), answer.text).toEqual([200, 200, 404, 200, 200, 204, 404, 201, 204])
  })

  it('none: 404; several: 409 with the matches; both name the value. Atomic: 422 at operations.N.match', async () => {
    const twins = await madeTwins(resource)
    const operations = ['update', 'delete'].flatMap((op) => [
      { op, ...by('nobody') },
      { op, ...by('same', 'twin') },
      { op, ...by('nobody', 'external_ids.erp') },
    ])
    const answer = await batch(resource, operations)
    expect(answer.status).toBe(207)
    expect(statusesOf(answer)).toEqual([404, 409, 404, 404, 409, 404])
    const [none, several] = answer.body.data
    expect(none.message).toMatch(/^No .* holds the key value nobody\.$/)
    expect(several).toMatchObject({ matches: twins, message: expect.stringContaining('More than one record holds') })
    const errors = await problemsOf(batch(resource, operations, { atomic: true }))
    expect(Object.keys(errors)).toEqual(operations.map((_, index) => `operations.${index}.match`))
    expect(errors['operations.1.match']?.[0]).toContain(twins[0])
  })

  it('a match or data that cannot be read is 422 at its paths, and nothing is done', async () => {
    const { api } = workspace
    const { id } = await made(api, resource, keyed('Kept'))
    const { body } = await batch(resource, [
      { op: 'update', match: { field: 'nothing', value: 'x' }, data: { unknown: 1 } },
      { op: 'delete', match: 'Kept' },
      { op: 'update', ...by('Kept'), data: 'text' },
      { op: 'update', ...by('Kept'), if_match: '2020-01-01T00:00:00.000Z', data: { custom_fields: { twin: 'x' } } },
      { op: 'delete', ...by('Kept'), if_match: '2020-01-01T00:00:00.000Z' },
    ])
    expect(body.data.map((one: { status: number }) => one.status)).toEqual([422, 422, 422, 412, 412])
    const [unknown, noObject, text] = body.data
    expect(Object.keys(unknown.errors)).toEqual(['match.field', 'unknown'])
    expect(Object.keys(noObject.errors)).toEqual(['match'])
    expect(Object.keys(text.errors)).toEqual(['body'])
    expect((await api.get(`/${resource}/${id}`)).body.data.attributes.custom_fields).toMatchObject({ twin: null })
  })

  it('id and match together, or none of them, are 422 for the whole batch', async () => {
    const { id } = await made(workspace.api, resource, keyed('Whole'))
    const errors = await problemsOf(
      batch(resource, [
        { op: 'update', id, ...by('Whole'), data: {} },
        { op: 'delete', id: { lid: 'a' }, ...by('Whole') },
        { op: 'update', data: {} },
        { op: 'delete', id: null, match: null },
        { op: 'delete', id },
      ]),
    )
    expect(Object.keys(errors)).toEqual([
      'operations.0.match',
      'operations.1.match',
      'operations.2.id',
      'operations.3.id',
    ])
    expect(errors['operations.2.id']?.[0]).toContain('match is accepted')
    expect((await workspace.api.get(`/${resource}/${id}`)).status).toBe(200)
  })
})
