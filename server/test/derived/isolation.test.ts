import { isToMany, perResource, type ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../src/accounts/members.ts'
import { findDuplicates } from '../../src/records/merge/duplicates.ts'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { listMerges } from '../../src/records/merge/merges.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { recordVersions } from '../../src/records/read.ts'
import { searchRecords } from '../../src/records/search.ts'
import { restoreRecord } from '../../src/records/trash/restore.ts'
import { listTrash } from '../../src/records/trash/trash.ts'
import { historyOf } from '../both/operations/audited.ts'
import { found } from '../filtering.ts'
import { declared, everyResource, workspaceWithOwn } from '../own-resource.ts'
import { testedResources } from '../run-length.ts'
import { refusalOf } from '../test-runtime.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, readAll, relatedRecords, relatedTo } from './full-records.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

/** Two workspaces with the same in them, side by side in one database. */
let ours: TestWorkspace
let theirs: TestWorkspace
let mine: Ids
let foreign: Ids
let optionOfTheirs: string

beforeAll(async () => {
  ours = await workspaceWithOwn()
  theirs = await workspaceWithOwn()
  for (const workspace of [ours, theirs]) {
    for (const type of everyResource) {
      await workspace.field(type, { name: 'Sector', type: 'text', unique: true })
      const { options } = await workspace.field(type, { name: 'Size', type: 'select', options: ['S', 'M'] })
      if (workspace === theirs && type === 'companies') optionOfTheirs = options[0]?.id ?? ''
    }
  }
  for (const type of everyResource) await theirs.field(type, { name: 'Secret field', type: 'number' })
  mine = await relatedRecords(ours, { sector: 'mine', size: 'S' })
  foreign = await relatedRecords(theirs, { sector: 'theirs', size: 'S', secret_field: 7 })
})

async function stateOfTheirs(): Promise<string[]> {
  const texts: string[] = []
  for (const type of everyResource) {
    texts.push((await readAll(theirs, type, foreign[type])).text, (await theirs.api.get(`/${type}`)).text)
  }
  return texts
}

describe('Law 5. Walls: no request can see, reach, count, match or infer anything of another workspace', () => {
  it.each(testedResources)(
    '%s: cannot be read, updated or deleted; the answer is that of an unknown id',
    async (type) => {
      const { api } = ours
      const before = await stateOfTheirs()
      for (const send of [
        (id: string) => api.get(`/${type}/${id}`),
        (id: string) => api.get(`/${type}/${id}?include=creator`),
        (id: string) => api.put(`/${type}/${id}`, { [declared(type).label]: 'Mine now' }),
        (id: string) => api.patch(`/${type}/${id}`, { nonsense: 1 }),
        (id: string) => api.delete(`/${type}/${id}`),
      ]) {
        const [there, nowhere] = [await send(foreign[type]), await send(NOWHERE)]
        expect(there.status).toBe(404)
        expect(there.text.replace(foreign[type], NOWHERE)).toBe(nowhere.text)
      }
      expect(await stateOfTheirs()).toEqual(before)
    },
  )

  it.each(testedResources)(
    '%s: cannot be commented on, and their comments are those of an unknown id',
    async (type) => {
      const { api } = ours
      const said = await theirs.api.post(`/${type}/${foreign[type]}/comments`, { body: 'theirs' })
      const { id: comment } = said.body.data
      const write = (body: object) => api.post(`/${type}/${mine[type]}/comments`, { body: 'mine', ...body })
      for (const [theirId, send] of [
        [foreign[type], (id: string) => api.get(`/${type}/${id}/comments`)],
        [foreign[type], (id: string) => api.post(`/${type}/${id}/comments`, { body: 'mine' })],
        [comment, (id: string) => api.get(`/comments/${id}`)],
        [comment, (id: string) => api.put(`/comments/${id}`, { body: 'mine' })],
        [comment, (id: string) => api.delete(`/comments/${id}`)],
        [comment, (id: string) => api.put(`/comments/${id}/restore`)],
        [comment, (id: string) => api.put(`/changes/${id}/undo`)],
        [comment, (id: string) => write({ reply_to: id })],
        [theirs.owner.id, (id: string) => write({ body: `@[${id}]` })],
      ] as const) {
        const [there, nowhere] = [await send(theirId), await send(NOWHERE)]
        expect([404, 422]).toContain(there.status)
        expect(there.text.replaceAll(theirId, NOWHERE)).toBe(nowhere.text)
      }
      expect((await api.get('/changes?cursor=start&resource=comments')).body.data).toEqual([])
      expect((await theirs.api.get(`/comments/${comment}`)).body).toEqual(said.body)
    },
  )

  it('notifications and follows are those of an unknown id', async () => {
    const ada = await theirs.member('member')
    const api = await theirs.token({ user: ada })
    await theirs.api.post('/tasks', { title: 'Theirs', assignee_ids: [ada.id] })
    const inbox = async () => (await api.get('/notifications?unread=true')).body.data
    const [told] = await inbox()
    const follow = (id: string) => `/companies/${id}/follow`
    for (const [theirId, send] of [
      [told.id, (id: string) => ours.api.put(`/notifications/${id}`, { read: true })],
      [foreign.companies, (id: string) => ours.api.get(follow(id))],
      [foreign.companies, (id: string) => ours.api.put(follow(id))],
      [foreign.companies, (id: string) => ours.api.delete(follow(id))],
    ] as const) {
      const [there, nowhere] = [await send(theirId), await send(NOWHERE)]
      expect(there.status).toBe(404)
      expect(there.text.replaceAll(theirId, NOWHERE)).toBe(nowhere.text)
    }
    expect((await ours.api.put('/notifications/read', { until: told.id })).body.meta.count).toBe(0)
    expect((await ours.api.get('/notifications')).text).not.toContain(told.id)
    expect(await inbox()).toEqual([told])
  })

  it.each(testedResources)('%s: are in no list, total, page, cursor or query', async (type) => {
    const { api } = ours
    for (const query of [
      '',
      '?cursor=true',
      '?sort=custom_fields.sector',
      `?filter[${declared(type).label}][$contains]=one`,
    ]) {
      const { body } = await api.get(`/${type}${query}`)
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([mine[type]])
      if (body.meta.total !== undefined) expect(body.meta.total).toBe(1)
    }
    expect((await api.post(`/${type}/query`, {})).body.meta.total).toBe(1)
    for (const query of ['cursor=true&per_page=1', 'cursor=true&per_page=1&sort=created_at']) {
      await theirs.api.post(`/${type}`, { [declared(type).label]: 'Second' })
      const { next_cursor } = (await theirs.api.get(`/${type}?${query}`)).body.meta
      const stolen = await api.get(`/${type}?${query.replace('cursor=true', `cursor=${next_cursor}`)}`)
      expect(Object.keys(stolen.body.errors)).toEqual(['cursor'])
    }
  })

  it.each(testedResources)('%s: are in no summary, under any measure or group', async (type) => {
    const { relations } = declared(type)
    const references = Object.keys(relations).filter((name) => relations[name]?.kind !== 'referring')
    const names = [...references, 'creation_source', 'created_at', 'custom_fields.size']
    for (const name of names) {
      for (const measured of [{}, { measure: 'filled', field: name }, { measure: 'distinct', field: 'sector' }]) {
        const asked = { ...measured, group_by: [name], period: 'year' }
        const { data, meta } = (await ours.api.post(`/${type}/summary`, asked)).body
        const counts = data.map(({ count }: { count: number }) => count)
        expect([counts, meta.total_groups, meta.other]).toEqual([[1], 1, null])
        const [{ id }] = data[0].keys
        expect([...Object.values(foreign), optionOfTheirs]).not.toContain(id)
      }
    }
  })

  it.each(testedResources)('%s: cannot refer to or be linked with them, as if they did not exist', async (type) => {
    const { api } = ours
    const { label } = declared(type)
    const keys = Object.keys(relatedTo(type, mine))
    for (const key of keys) {
      const bodyWith = (ids: Ids) => ({ [key]: relatedTo(type, ids)[key] })
      const nowhere: Ids = { users: NOWHERE, projects: NOWHERE, ...perResource(() => NOWHERE) }
      for (const send of [
        (ids: Ids) => api.post(`/${type}`, { [label]: 'x', ...bodyWith(ids) }),
        (ids: Ids) => api.put(`/${type}/${mine[type]}`, bodyWith(ids)),
        (ids: Ids) =>
          api.post(`/${type}/upsert`, { [label]: 'x', match: { field: 'sector', value: 'mine' }, ...bodyWith(ids) }),
      ]) {
        const [there, none] = [await send(foreign), await send(nowhere)]
        expect(there.status).toBe(422)
        expect(Object.keys(there.body.errors)).toEqual([declared(type).links[key] ? `${key}.0` : key])
        expect(there.text).toBe(none.text)
      }
    }
  })

  it.each(testedResources)('%s: filters by their ids and conditions match nothing', async (type) => {
    const { label, relations } = declared(type)
    const one = [`One of ${type}`]
    for (const [name, relation] of Object.entries(relations)) {
      const id = foreign[relation.to]
      expect(await found(ours.api, type, { [name]: { $in: [id] } }), name).toEqual([])
      expect(await found(ours.api, type, { [name]: { $not_in: [id] } }), name).toEqual(one)
      if (relation.to === 'users') continue
      const nested = { custom_fields: { sector: { $eq: 'theirs' } } }
      expect(await found(ours.api, type, { [name]: nested })).toEqual([])
      expect(await found(ours.api, type, { [name]: { creator: { $in: [foreign.users] } } })).toEqual([])
      expect(await found(ours.api, type, { $not: { [name]: nested } })).toEqual(one)
    }
    expect(await found(ours.api, type, { custom_fields: { sector: { $eq: 'theirs' } } })).toEqual([])
    expect(await found(ours.api, type, { custom_fields: { sector: { $is_empty: false } } })).toEqual(one)
    expect(await found(ours.api, type, { [label]: { $contains: 'second' } })).toEqual([])
  })

  it.each(testedResources)('%s: includes and counts hold only our own', async (type) => {
    const { data, included } = (await readAll(ours, type, mine[type])).body
    const fields = type === 'opportunities' ? ['custom_fields.owner'] : []
    expect(Object.keys(data.relationships)).toEqual([...Object.keys(declared(type).relations), ...fields])
    for (const name of fields) expect(data.relationships[name].data).toBeNull()
    const expected = new Set(Object.values(mine))
    for (const record of included) expect(expected.has(record.id), record.type).toBe(true)
    for (const [name, relation] of Object.entries(declared(type).relations)) {
      const identifier = { id: mine[relation.to], type: relation.to }
      expect(data.relationships[name].data).toEqual(isToMany(relation) ? [identifier] : identifier)
    }
    for (const count of Object.values(declared(type).counts)) expect(data.attributes[count.attribute]).toBe(1)
  })

  it.each(testedResources)('%s: an upsert does not match them, and their values are not taken', async (type) => {
    const { label } = declared(type)
    const before = await stateOfTheirs()
    const match = { field: 'sector', value: 'theirs' }
    const upserted = await ours.api.post(`/${type}/upsert`, { [label]: 'Ours', match })
    expect(upserted.status, upserted.text).toBe(201)
    expect(upserted.body.data.attributes.custom_fields.sector).toBe('theirs')
    const { id } = upserted.body.data
    await ours.api.delete(`/${type}/${id}`)
    const made = await ours.api.post(`/${type}`, { [label]: 'Ours', custom_fields: { sector: 'theirs' } })
    expect(made.status).toBe(201)
    await ours.api.delete(`/${type}/${made.body.data.id}`)
    expect(await stateOfTheirs()).toEqual(before)
  })

  it.each(testedResources)('%s: their fields and options are unknown', async (type) => {
    const { api } = ours
    const { label } = declared(type)
    const { data } = (await api.get(`/custom-fields?entity_type=${type}&per_page=100`)).body
    const codes = data.map((field: { attributes: { code: string } }) => field.attributes.code)
    expect(codes).not.toContain('secret_field')
    const answers = [
      await api.post(`/${type}`, { [label]: 'x', custom_fields: { secret_field: 7 } }),
      await api.put(`/${type}/${mine[type]}`, { custom_fields: { secret_field: 7 } }),
      await api.get(`/${type}?sort=secret_field`),
      await api.get(`/${type}?fields=custom_fields.secret_field`),
      await api.get(`/${type}?filter[custom_fields][secret_field][$eq]=7`),
      await api.put(`/${type}/${mine[type]}`, { custom_fields: { size: optionOfTheirs } }),
      await api.get(`/${type}?filter[custom_fields][size][$eq]=${optionOfTheirs}`),
    ]
    for (const answer of answers) expect(answer.status, answer.text).toBe(422)
  })

  it.each(testedResources)(
    '%s: cannot be searched, summed up, restored, merged, unmerged or looked up in the log',
    async (type) => {
      const resource = declared(type)
      const scope = await ours.scope()
      const twin = await theirs.api.post(`/${type}`, { [resource.label]: 'Twin of theirs' })
      const gone = await theirs.api.post(`/${type}`, { [resource.label]: 'Gone of theirs' })
      await theirs.api.delete(`/${type}/${gone.body.data.id}`)
      const before = await stateOfTheirs()
      const refused = async (work: (id: string) => Promise<unknown>, id: string) => {
        expect((await refusalOf(work(id))).join().replaceAll(id, NOWHERE)).toBe((await refusalOf(work(NOWHERE))).join())
      }
      await refused((id) => restoreRecord(scope, resource, { id }), gone.body.data.id)
      await refused(
        (id) => mergeRecords(scope, resource, { winner_id: mine[type], loser_ids: [id] }),
        twin.body.data.id,
      )
      await refused((id) => mergeRecords(scope, resource, { winner_id: id, loser_ids: [mine[type]] }), foreign[type])
      expect(await stateOfTheirs()).toEqual(before)
      const { merge_id } = await mergeRecords(await theirs.scope(), resource, {
        winner_id: foreign[type],
        loser_ids: [twin.body.data.id],
      })
      const versions = await recordVersions(scope)
      await refused((id) => undoMerge(scope, id), merge_id)
      expect((await listMerges(scope, {})).data).toEqual([])
      expect((await listTrash(scope, { per_page: 100 })).data.filter(({ name }) => name !== 'Ours')).toEqual([])
      await refused((id) => historyOf(scope, type, id), foreign[type])
      expect((await searchRecords(scope, { query: 'theirs' })).data.map(({ id }) => id)).toEqual([])
      expect((await findDuplicates(scope, resource, {})).total).toBe(0)
      await undoMerge(await theirs.scope(), merge_id)
      expect(await recordVersions(scope)).toEqual(versions)
      await theirs.api.delete(`/${type}/${twin.body.data.id}`)
    },
  )

  it('a token is bound to its workspace, also that of a user who belongs to both', async () => {
    await addMember(await ours.scope(), { email: theirs.owner.email, role: 'member' })
    const inOurs = await ours.token({ user: theirs.owner })
    for (const type of everyResource) {
      expect((await inOurs.get(`/${type}/${foreign[type]}`)).status).toBe(404)
      expect((await inOurs.get(`/${type}/${mine[type]}`)).status).toBe(200)
      expect((await inOurs.get(`/${type}`)).body.meta.total).toBe(1)
      expect((await theirs.api.get(`/${type}/${mine[type]}`)).status).toBe(404)
      // A creator of the other workspace has created nothing here.
      expect(await found(ours.api, type, { creator: { $in: [theirs.owner.id] } })).toEqual([])
    }
    await ours.remove(theirs.owner)
  })

  it('members are those of the workspace: members of the other cannot own, be assigned or be seen', async () => {
    const type: ResourceName = 'companies'
    const answer = await ours.api.get(
      `/${type}?include=creator,accountOwner&filter[accountOwner][$in]=${foreign.users}`,
    )
    expect(answer.body).toMatchObject({ data: [], included: [] })
    expect((await ours.api.get('/user')).body.data.id).toBe(mine.users)
  })
})
