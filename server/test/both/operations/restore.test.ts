import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { searchRecords } from '../../../src/records/search.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { listTrash } from '../../../src/records/trash/trash.ts'
import { archiveField, restoreField } from '../../../src/schema/define.ts'
import { type Ids, readAll, relatedRecords } from '../../derived/full-records.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { refusalOf } from '../../test-runtime.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { as, later } from './scopes.ts'

let workspace: TestWorkspace
let ids: Ids

beforeEach(async () => {
  workspace = await workspaceWithOwn()
  for (const type of everyResource) await workspace.field(type, { name: 'Sector', type: 'text', unique: true })
  ids = await relatedRecords(workspace, { sector: 'mine' })
})

const within = (text: string) => JSON.parse(text.replace(/"updated_at":"[^"]+"/g, '"updated_at":"…"'))

describe('A restored record', () => {
  it.each(testedResources)('%s: comes back into every list, count, filter and include', async (type) => {
    const { api } = workspace
    const look = async () => {
      const shown: unknown[] = []
      for (const one of everyResource) {
        shown.push(within((await readAll(workspace, one, ids[one])).text))
        shown.push(within((await api.get(`/${one}?sort=created_at`)).text))
        shown.push((await api.get(`/${one}?filter[${declared(one).label}][$contains]=one`)).body.meta.total)
        shown.push((await api.get(`/${one}?filter[custom_fields][sector][$eq]=mine`)).body.meta.total)
      }
      shown.push(await searchRecords(await workspace.scope(), { query: 'one' }))
      return shown
    }
    const before = await look()
    await gone(api, type, ids[type])
    expect(await look()).not.toEqual(before)
    await restoreRecord(await workspace.scope(), declared(type), { id: ids[type] })
    expect(await look()).toEqual(before)
  })

  it.each(testedResources)('%s: is answered, has moved its time, and that of what refers to it', async (type) => {
    const { api } = workspace
    const times = async () => {
      const all: string[] = []
      for (const one of everyResource) all.push((await api.get(`/${one}/${ids[one]}`)).body.data?.attributes.updated_at)
      return all
    }
    const before = await times()
    await gone(api, type, ids[type])
    const { data } = await restoreRecord(await workspace.scope(), declared(type), { id: ids[type].toUpperCase() })
    expect(data()[0]).toEqual((await api.get(`/${type}/${ids[type]}`)).body.data)
    const after = await times()
    const names = (one: Resource) => [...Object.values(one.references), ...Object.values(one.links)].map(({ to }) => to)
    after.forEach((time, index) => {
      const one = declared(everyResource[index] ?? '')
      const isTouched = one.type === type || names(one).includes(type)
      if (isTouched) expect(time > (before[index] ?? '')).toBe(true)
      else expect(time).toBe(before[index])
    })
  })

  it('brings links and references back, also where their null was sent back meanwhile', async () => {
    const { api } = workspace
    await gone(api, 'companies', ids.companies)
    const person = (await api.get(`/people/${ids.people}`)).body.data.attributes
    expect(person.company_id).toBeNull()
    expect((await api.put(`/people/${ids.people}`, person)).status).toBe(200)
    expect((await api.put(`/tasks/${ids.tasks}`, { company_ids: [] })).status).toBe(200)
    await restoreRecord(await workspace.scope(), registry.companies, { id: ids.companies })
    expect((await api.get(`/people/${ids.people}`)).body.data.attributes.company_id).toBe(ids.companies)
    const task = (await api.get(`/tasks/${ids.tasks}?include=companies`)).body.data
    expect(task.relationships.companies.data).toEqual([{ id: ids.companies, type: 'companies' }])
  })

  it('stays deleted while another holds a unique value of its own, which is named, and loses nothing', async () => {
    const { api } = workspace
    await gone(api, 'companies', ids.companies)
    const holder = await made(api, 'companies', { name: 'Taker', custom_fields: { sector: 'MINE' } })
    const scope = await workspace.scope()
    const [problem] = await refusalOf(restoreRecord(scope, registry.companies, { id: ids.companies }))
    expect(problem).toMatch(
      /^custom_fields\.sector: The Sector value mine is held by the company "Taker" \(.{26}\) now\./,
    )
    expect(problem).toContain(holder.id)
    expect((await api.get(`/companies/${ids.companies}`)).status).toBe(404)
    expect((await listTrash(scope, {})).data.map(({ id }) => id)).toEqual([ids.companies])
    await api.patch(`/companies/${holder.id}`, { custom_fields: { sector: null } })
    const { data } = await restoreRecord(scope, registry.companies, { id: ids.companies })
    expect(data()[0]?.attributes.custom_fields).toMatchObject({ sector: 'mine' })
    const again = await api.post('/companies', { name: 'Late', custom_fields: { sector: 'mine' } })
    expect(again.status).toBe(422)
  })

  it('has its values of a field that was archived meanwhile, when the field is back', async () => {
    const { api } = workspace
    const address = { entity_type: 'people', code: 'sector' } as const
    await gone(api, 'people', ids.people)
    await archiveField(await workspace.scope(), address)
    await restoreRecord(await workspace.scope(), registry.people, { id: ids.people })
    await restoreField(await workspace.scope(), address)
    const found = await api.get('/people?filter[custom_fields][sector][$eq]=mine')
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([ids.people])
  })

  it('that is not deleted stays as it is', async () => {
    const before = (await workspace.api.get(`/notes/${ids.notes}`)).body.data
    const { data } = await restoreRecord(await workspace.scope(), registry.notes, { id: ids.notes })
    expect(data()[0]).toEqual(before)
  })

  it('is one record, however many restore it at once', async () => {
    await gone(workspace.api, 'people', ids.people)
    const scope = await workspace.scope()
    await Promise.all(Array.from({ length: 5 }, () => restoreRecord(scope, registry.people, { id: ids.people })))
    expect((await workspace.api.get('/people')).body.meta.total).toBe(1)
    expect((await workspace.api.get('/people?filter[custom_fields][sector][$is_empty]=false')).body.meta.total).toBe(1)
  })
})

describe('Restoring is refused', () => {
  it('30 days after the deletion', async () => {
    await gone(workspace.api, 'companies', ids.companies)
    const scope = await workspace.scope()
    const late = restoreRecord(later(scope, 30.001), registry.companies, { id: ids.companies })
    expect((await refusalOf(late))[0]).toMatch(
      /^not_found: The company with the ID .{26} was deleted on .{10} and can no longer/,
    )
    expect((await listTrash(later(scope, 30.001), {})).total).toBe(0)
    await restoreRecord(later(scope, 29.999), registry.companies, { id: ids.companies })
  })

  it('for what never was, is of another resource or of another workspace, in the same words', async () => {
    const neighbour = await workspaceWithOwn()
    await gone(workspace.api, 'companies', ids.companies)
    const theirs = await neighbour.scope()
    expect(await refusalOf(restoreRecord(theirs, registry.companies, { id: ids.companies }))).toEqual([
      `not_found: No company with the ID ${ids.companies} exists in this workspace.`,
    ])
    const scope = await workspace.scope()
    for (const id of [NOWHERE, 'nonsense']) {
      expect((await refusalOf(restoreRecord(scope, registry.people, { id })))[0]).toMatch(
        /^not_found: No person with the ID/,
      )
    }
    expect((await refusalOf(restoreRecord(scope, registry.people, { id: ids.companies })))[0]).toContain('No person')
    expect(await listTrash(theirs, {})).toMatchObject({ data: [], total: 0 })
  })

  it('without the abilities update and delete', async () => {
    await gone(workspace.api, 'companies', ids.companies)
    const scope = await workspace.scope()
    for (const who of [as(scope, { abilities: ['read', 'create', 'update'] }), as(scope, { role: 'viewer' })]) {
      const refused = await refusalOf(restoreRecord(who, registry.companies, { id: ids.companies }))
      expect(refused[0]).toMatch(/^forbidden: .*(delete|update)/)
      expect((await refusalOf(listTrash(who, {})))[0]).toContain('delete')
    }
  })
})

it('The trash lists what can be restored, latest first, with who deleted it and until when', async () => {
  const { api } = workspace
  const member = await workspace.member('member')
  const theirs = await workspace.token({ user: member })
  await gone(api, 'tasks', ids.tasks)
  await gone(theirs, 'people', ids.people)
  await gone(api, 'companies', ids.companies)
  const scope = await workspace.scope()
  const { data, ...rest } = await listTrash(scope, {})
  expect(rest).toEqual({ total: 3, page: 1, per_page: 15 })
  expect(data.map(({ resource }) => resource)).toEqual(['companies', 'people', 'tasks'])
  expect(data[1]).toMatchObject({
    id: ids.people,
    name: 'One of people',
    deleted_by: { id: member.id, name: member.name },
    merge_id: null,
  })
  const { deleted_at = '', restorable_until = '' } = data[1] ?? {}
  expect(Date.parse(restorable_until) - Date.parse(deleted_at)).toBe(30 * 86_400_000)
  expect(await listTrash(scope, { resource: 'tasks' })).toMatchObject({ total: 1, data: [{ id: ids.tasks }] })
  const second = await listTrash(scope, { page: 2, per_page: 2 })
  expect(second).toMatchObject({ total: 3, page: 2, data: [{ resource: 'tasks' }] })
  expect(await refusalOf(listTrash(scope, { per_page: 101 }))).toHaveLength(1)
})
