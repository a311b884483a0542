import { beforeEach, describe, expect, it } from 'vitest'
import type { Answered, Api } from '../../api.ts'
import { declared, type everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { changeIn, historyOf, lastChange } from '../../undoing.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let api: Api

beforeEach(async () => {
  workspace = await workspaceWithOwn()
  api = workspace.api
})

const undo = (body: object, headers: Record<string, string> = {}) => api.post('/changes/undo', body, { headers })

const statusesOf = ({ body }: Answered) => body.data.map(({ status }: { status: number }) => status)
const idsOf = ({ body }: Answered) => body.data.map(({ id }: { id: string }) => id)

/** Renames a record, and returns the change. */
async function renamed(type: (typeof everyResource)[number], id: string, name: string): Promise<string> {
  const { status, text } = await api.patch(`/${type}/${id}`, { [declared(type).label]: name })
  expect(status, text).toBe(200)
  return lastChange(api, type, id)
}

const START = '2020-01-01T00:00:00Z'

describe('additions 1. POST /v1/changes/undo', () => {
  it.each(testedResources)('%s: the newest first, in any order of the request, each id once', async (type) => {
    const { id } = await made(api, type)
    const [first, second] = [await renamed(type, id, 'B'), await renamed(type, id, 'C')]
    const answer = await undo({ ids: [first, id, second, first.toUpperCase()] })
    expect(answer.status, answer.text).toBe(200)
    const named = { resource: type, record_id: id }
    expect(answer.body).toEqual({
      data: [
        { id: second, ...named, status: 200 },
        { id: first, ...named, status: 200 },
        { id, ...named, status: 204 },
      ],
      meta: { total: 3, succeeded: 3, failed: 0, dry_run: false },
    })
    expect((await api.get(`/${type}/${id}`)).status).toBe(404)
    const undone = (await historyOf(api, type, id)).map(({ attributes }) => attributes.undo_of ?? null)
    expect(undone).toEqual([id, first, second, null, null, null])
  })

  it('207 with the status, message and errors of the single request for those that cannot be undone', async () => {
    const [one = '', two = '', three = ''] = await madeIds(api, 'companies', 3)
    const [stale, fine] = [await renamed('companies', one, 'B'), await renamed('companies', two, 'B')]
    await renamed('companies', one, 'C')
    await gone(api, 'companies', three)
    const lost = await lastChange(api, 'companies', three)
    await made(api, 'companies', { external_ids: { crm: '1' } })
    const answer = await undo({ ids: [stale, fine, NOWHERE, 'none', lost] })
    expect(answer.status).toBe(207)
    expect(answer.body.meta).toEqual({ total: 5, succeeded: 2, failed: 3, dry_run: false })
    const byId = new Map<string, object>(answer.body.data.map((one: { id: string }) => [one.id, one]))
    const single = (await api.put(`/changes/${stale}/undo`)).body
    expect(byId.get(stale)).toEqual({ id: stale, resource: 'companies', record_id: one, status: 422, ...single })
    const unknown = { resource: null, record_id: null, status: 404 }
    expect(byId.get(NOWHERE)).toEqual({ id: NOWHERE, ...unknown, ...(await api.put(`/changes/${NOWHERE}/undo`)).body })
    expect(byId.get('none')).toMatchObject(unknown)
    expect([byId.get(fine), byId.get(lost)]).toMatchObject([{ status: 200 }, { status: 200 }])
  })

  it('own: the changes of the requesting token in a period, without undos and what is undone already', async () => {
    const other = await workspace.token()
    const { id, attributes } = await made(api, 'companies')
    const since = attributes.created_at
    const [undone, back] = [await renamed('companies', id, 'B'), await renamed('companies', id, 'C')]
    expect((await undo({ ids: [back] })).status).toBe(200)
    expect((await undo({ ids: [undone] })).status).toBe(200)
    const theirs = await made(other, 'companies')
    const kept = await renamed('companies', theirs.id, 'Mine')
    const dry = await undo({ own: true, since, dry_run: true })
    expect(idsOf(dry)).toEqual([kept, id])
    expect(idsOf(await undo({ own: true, since, until: since, dry_run: true }))).toEqual([id])
    const after = new Date(Date.parse(since) + 1).toISOString()
    expect(idsOf(await undo({ own: true, since: after, dry_run: true }))).toEqual([kept])
    expect(statusesOf(await undo({ own: true, since }))).toEqual([200, 204])
    const nothing = await undo({ own: true, since })
    expect([nothing.status, nothing.body.meta.total]).toEqual([200, 0])
    expect((await api.get(`/companies/${theirs.id}`)).body.data.attributes.name).toBe(theirs.attributes.name)
  })

  it('own: at most 1,000 changes, else 422', async () => {
    const operations = Array.from({ length: 1000 }, (_, index) => ({ op: 'create', data: { name: `No ${index}` } }))
    const { body } = await api.post('/companies/batch', { operations })
    const since = body.data[0].updated_at
    const all = await undo({ own: true, since, dry_run: true })
    expect(all.body.meta).toEqual({ total: 1000, succeeded: 1000, failed: 0, dry_run: true })
    await made(api, 'people')
    expect(Object.keys(await problemsOf(undo({ own: true, since })))).toEqual(['since'])
  })

  it('is judged in the order of the undoing, under dry_run too, which changes nothing', async () => {
    const { id } = await made(api, 'companies')
    const changes = [await renamed('companies', id, 'B'), await renamed('companies', id, 'C')]
    const before = await historyOf(api, 'companies', id)
    const ids = [id, ...changes]
    expect(statusesOf(await undo({ ids, dry_run: true }))).toEqual([200, 200, 204])
    expect(statusesOf(await undo({ ids: [id, changes[0]], dry_run: true }))).toEqual([422, 422])
    expect(await historyOf(api, 'companies', id)).toEqual(before)
    expect((await api.get(`/companies/${id}`)).body.data.attributes.name).toBe('C')
    const real = await undo({ ids })
    expect([real.status, statusesOf(real)]).toEqual([200, [200, 200, 204]])
  })

  it('undoes merges, deletions and restores among others', async () => {
    const [winner = '', loser = '', third = ''] = await madeIds(api, 'companies', 3)
    const person = await made(api, 'people', { company_id: loser })
    const since = (await historyOf(api, 'people', person.id))[0]?.attributes.at
    expect((await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })).status).toBe(200)
    await gone(api, 'companies', third)
    const after = new Date(Date.parse(String(since)) + 1).toISOString()
    const answer = await undo({ own: true, since: after })
    expect(answer.status, answer.text).toBe(200)
    const told = answer.body.data.map(({ record_id, status }: Record<string, unknown>) => [record_id, status])
    expect(told).toContainEqual([third, 200])
    expect(told).toContainEqual([loser, 200])
    expect((await api.get(`/people/${person.id}`)).body.data.attributes.company_id).toBe(loser)
    for (const id of [winner, loser, third]) expect((await api.get(`/companies/${id}`)).status).toBe(200)
  })

  it('a body that is not one of the two is 422 at its paths; If-Match is 422', async () => {
    const bad: [object, string[]][] = [
      [{}, ['ids']],
      [{ ids: [] }, ['ids']],
      [{ ids: ['a', 1, null] }, ['ids.1', 'ids.2']],
      [{ ids: Array.from({ length: 1001 }, (_, index) => `${index}`) }, ['ids']],
      [{ ids: ['a'], own: true, since: START }, ['ids']],
      [{ ids: ['a'], since: START }, ['since']],
      [{ own: true }, ['since']],
      [{ own: false, since: START }, ['own']],
      [{ own: true, since: 'yesterday' }, ['since']],
      [{ own: true, since: '2026-02-01', until: '2026-01-01' }, ['until']],
      [{ ids: ['a'], force: true, dry_run: 'no' }, ['force', 'dry_run']],
    ]
    for (const [body, paths] of bad) {
      expect(Object.keys(await problemsOf(undo(body))), JSON.stringify(body)).toEqual(paths)
    }
    const conditional = undo({ ids: ['a'] }, { 'If-Match': '"2026-11-14T09:30:00.125Z"' })
    expect(Object.keys(await problemsOf(conditional))).toEqual(['if_match'])
  })

  it('needs create, and the abilities of the changes; of a foreign workspace nothing is found', async () => {
    const { id } = await made(api, 'companies')
    const change = await renamed('companies', id, 'B')
    const token = (...abilities: ('create' | 'update' | 'delete')[]) => workspace.token({ abilities })
    const asked = (by: Api, ids: string[]) => by.post('/changes/undo', { ids, dry_run: true })
    expect((await asked(await token('update', 'delete'), [change])).status).toBe(403)
    expect((await asked(await token('create'), [change])).status).toBe(403)
    expect((await asked(await token('create'), [NOWHERE])).status).toBe(207)
    const updater = await token('create', 'update')
    expect((await asked(updater, [change])).status).toBe(200)
    expect((await asked(updater, [change, id])).status).toBe(403)
    const stranger = await workspaceWithOwn()
    expect(statusesOf(await asked(stranger.api, [change, id]))).toEqual([404, 404])
  })

  it('an Idempotency-Key replays the whole response, and does nothing again', async () => {
    const { id } = await made(api, 'companies')
    await renamed('companies', id, 'B')
    const headers = { 'Idempotency-Key': 'undo-own' }
    const first = await undo({ own: true, since: START }, headers)
    const history = await historyOf(api, 'companies', id)
    const second = await undo({ own: true, since: START }, headers)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await historyOf(api, 'companies', id)).toEqual(history)
  })

  it('many changes of many records and kinds are undone in chunks, with the results in order', async () => {
    const operations = Array.from({ length: 150 }, (_, index) => ({ op: 'create', data: { name: `No ${index}` } }))
    const { body } = await api.post('/companies/batch', { operations })
    const ids: string[] = idsOf({ body } as Answered)
    const renames = ids.map((id) => ({ op: 'update', id, data: { name: 'Same' } }))
    expect((await api.post('/companies/batch', { operations: renames })).status).toBe(200)
    const changes = await Promise.all(ids.map((id) => lastChange(api, 'companies', id)))
    const answer = await undo({ ids: [...ids, ...changes] })
    expect(answer.body.meta).toEqual({ total: 300, succeeded: 300, failed: 0, dry_run: false })
    expect(idsOf(answer)).toEqual([...changes.toSorted().reverse(), ...ids.toSorted().reverse()])
    expect((await api.get('/companies')).body.meta.total).toBe(0)
    const again = await undo({ ids: changes.slice(0, 1) })
    expect([again.status, statusesOf(again)]).toEqual([200, [204]])
    const single = await api.put(`/changes/${changes[0]}/undo`)
    expect([single.status, changeIn(single) > (changes[0] ?? '')]).toEqual([204, true])
  })
})
