import { BATCH_BODY_MAX_BYTES } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { made, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
/** Two records that hold one value, and one that was merged into another. */
let ids: { holders: string[]; loser: string; winner: string }

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  await workspace.field('people', { name: 'Key', type: 'text' })
  const holder = () => made(api, 'people', { custom_fields: { key: 'Same' } })
  const holders = [(await holder()).id, (await holder()).id]
  await workspace.updateField('people', 'key', { unique: true })
  const [loser, winner] = [(await made(api, 'people')).id, (await made(api, 'people')).id]
  expect((await api.put(`/people/${winner}/merge`, { loser_ids: [loser] })).status).toBe(200)
  ids = { holders, loser, winner }
})

/** Operations that each fail for a reason of their own. */
function failing() {
  const match = { field: 'key', value: 'same' }
  const stale = { id: ids.winner, if_match: '2020-01-01T00:00:00.000Z' }
  return [
    { op: 'upsert', match, data: { name: 'Which' } },
    { op: 'update', id: ids.loser, data: { name: 'Gone' } },
    { op: 'delete', id: ids.loser },
    { op: 'update', ...stale, data: { name: 'Late' } },
    { op: 'delete', ...stale },
    { op: 'upsert', match: { field: 'nothing', value: 'x' }, data: { name: 'No field' } },
  ]
}

describe('sync 4. A failed operation has what the single request has', () => {
  it('matches of a 409, merged_into of a 404, updated_at of a 412', async () => {
    const { api } = workspace
    const { status, body } = await api.post('/people/batch', { operations: failing() })
    expect(status).toBe(207)
    const [several, gone, deleted, late, , unknown] = body.data
    const upsert = await api.post('/people/upsert', { match: { field: 'key', value: 'same' }, name: 'Which' })
    expect([upsert.status, upsert.body.matches]).toEqual([409, ids.holders])
    expect(several).toEqual({ index: 0, op: 'upsert', status: 409, ...upsert.body })
    const single = await api.patch(`/people/${ids.loser}`, { name: 'Gone' })
    expect(single.body.merged_into).toEqual({ id: ids.winner, type: 'people' })
    expect(gone).toEqual({ index: 1, op: 'update', status: 404, ...single.body })
    expect(deleted).toEqual({ index: 2, op: 'delete', status: 404, ...single.body })
    const { updated_at } = (await api.get(`/people/${ids.winner}`)).body.data.attributes
    expect(late).toMatchObject({ status: 412, updated_at })
    expect([unknown.status, Object.keys(unknown.errors)]).toEqual([422, ['match.field']])
  })

  it('and its path in an atomic batch', async () => {
    const { api } = workspace
    const errors = await problemsOf(api.post('/people/batch', { operations: failing(), atomic: true }))
    expect(Object.keys(errors)).toEqual([
      'operations.0.match',
      'operations.1.id',
      'operations.2.id',
      'operations.3.if_match',
      'operations.4.if_match',
      'operations.5.match.field',
    ])
    for (const id of ids.holders) expect(errors['operations.0.match']?.[0]).toContain(id)
    expect(errors['operations.1.id']?.[0]).toContain(ids.winner)
  })
})

describe('sync 4. The body of a batch', () => {
  /** A batch of so many bytes. */
  function bodyOf(bytes: number): string {
    const operations = Array.from({ length: 20 }, () => ({ op: 'create', data: { name: 'x' } }))
    const text = JSON.stringify({ operations, return: 'minimal' })
    return text.slice(0, -1) + ' '.repeat(bytes - text.length) + text.slice(-1)
  }

  it('may have 8 MiB, and beyond that is 413', async () => {
    const { api } = workspace
    for (const path of ['/companies/batch', '/batch']) {
      const large = await api.send('POST', path, bodyOf(BATCH_BODY_MAX_BYTES + 1))
      expect([large.status, Object.keys(large.body)]).toEqual([413, ['message']])
    }
    expect((await api.get('/companies?per_page=1')).body.meta.total).toBe(0)
    expect((await api.send('POST', '/companies/batch', bodyOf(BATCH_BODY_MAX_BYTES))).status).toBe(200)
  })
})
