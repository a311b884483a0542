import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { found } from '../../filtering.ts'
import { putBack } from '../../put-back.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** Each list of ids, what it holds, and the relation that shows it. */
const lists = [
  ['tasks', 'company_ids', 'companies', 'companies'],
  ['tasks', 'people_ids', 'people', 'people'],
  ['tasks', 'opportunity_ids', 'opportunities', 'opportunities'],
  ['tasks', 'assignee_ids', 'users', 'assignees'],
  ['notes', 'company_ids', 'companies', 'companies'],
  ['notes', 'people_ids', 'people', 'people'],
  ['notes', 'opportunity_ids', 'opportunities', 'opportunities'],
] as const
type Target = (typeof lists)[number][2]

let workspace: TestWorkspace
let members: string[]
beforeAll(async () => {
  workspace = await newWorkspace()
  members = [workspace.owner.id]
  for (const role of ['admin', 'member', 'viewer'] as const) members.push((await workspace.member(role)).id)
})

/** The ids of some that can be linked, in ascending order. */
async function targets(to: Target, count: number): Promise<string[]> {
  return to === 'users' ? members.slice(0, count).sort() : madeIds(workspace.api, to, count)
}

/** What an answer, which included it, says of a relation. */
function linked({ status, body, text }: Answered, relation: string): string[] {
  expect([200, 201], text).toContain(status)
  const { data, included } = body
  const ids = data.relationships[relation].data.map((one: { id: string }) => one.id)
  expect(included.map((one: { id: string }) => one.id).sort()).toEqual([...ids].sort())
  expect(data.attributes[`${relation}_count`]).toBe(ids.length)
  return ids
}

it('the registry has no other list', () => {
  const declared = Object.values(registry).flatMap(({ type, links }) =>
    Object.entries(links).map(([key, { to, relation }]) => [type, key, to, relation]),
  )
  expect(declared).toEqual([...lists])
})

describe('2. *_ids are written, and read through include', () => {
  it.each(lists)('%s.%s: absent keeps, [] and null remove all, a list replaces', async (type, key, to, relation) => {
    const { api } = workspace
    const [a = '', b = '', c = ''] = await targets(to, 3)
    const include = `include=${relation},${relation}Count`
    const created = await api.post(`/${type}?${include}`, { title: 'One', [key]: [b, a] })
    expect(linked(created, relation)).toEqual([a, b])
    const path = `/${type}/${created.body.data.id}?${include}`
    const write = async (body: object) => linked(await api.put(path, body), relation)
    expect(await write({ title: 'Two' })).toEqual([a, b])
    expect(await write({ [key]: [b, c] })).toEqual([b, c])
    expect(linked(await api.get(path), relation)).toEqual([b, c])
    expect(await write({ [key]: [] })).toEqual([])
    expect(await write({ [key]: [a] })).toEqual([a])
    expect(await write({ [key]: null })).toEqual([])
    expect(linked(await api.get(path), relation)).toEqual([])
    for (const empty of [null, []]) {
      expect(linked(await api.post(`/${type}?${include}`, { title: 'None', [key]: empty }), relation)).toEqual([])
    }
  })

  it.each(lists)('%s.%s: the record itself shows none', async (type, key, to) => {
    const { attributes } = await made(workspace.api, type, { [key]: await targets(to, 1) })
    expect(attributes).not.toHaveProperty(key)
    expect(JSON.stringify(attributes)).not.toContain('_ids')
  })

  it.each(lists)('%s.%s: repeats fold, and letter case does not matter', async (type, key, to, relation) => {
    const { api } = workspace
    const [a = '', b = ''] = await targets(to, 2)
    const include = `include=${relation},${relation}Count`
    const created = await api.post(`/${type}?${include}`, { title: 'x', [key]: [a, a.toUpperCase(), b, a] })
    expect(linked(created, relation)).toEqual([a, b])
    const { id, attributes } = created.body.data
    const again = await api.put(`/${type}/${id}?${include}`, { [key]: [b.toUpperCase(), b, a] })
    expect(again.body.data.attributes).toEqual(attributes)
  })

  it.each(lists)('%s.%s: the lists of a record are apart from each other', async (type, key, to, relation) => {
    const { api } = workspace
    const { links } = registry[type]
    const body: Record<string, unknown> = { title: 'x' }
    for (const [name, list] of Object.entries(links)) {
      body[name] = list.to === 'users' ? [workspace.owner.id] : [(await made(api, list.to as 'companies')).id]
    }
    const relations = Object.values(links).map((list) => list.relation)
    const { id } = (await api.post(`/${type}`, body)).body.data
    await api.put(`/${type}/${id}`, { [key]: [] })
    const { relationships } = (await api.get(`/${type}/${id}?include=${relations.join(',')}`)).body.data
    for (const name of relations) expect(relationships[name].data, name).toHaveLength(name === relation ? 0 : 1)
    expect(to).toBe(links[key]?.to)
  })
})

describe('2. Anything else: 422, for a list naming only the bad items', () => {
  it.each(lists)('%s.%s', async (type, key, to, relation) => {
    const { api } = workspace
    const [good = '', lost = ''] = to === 'users' ? [workspace.owner.id, ''] : await targets(to, 2)
    if (to !== 'users') await gone(api, to, lost)
    const another = (await made(api, to === 'companies' ? 'people' : 'companies')).id
    const kept = await api.post(`/${type}?include=${relation}`, { title: 'x', [key]: [good] })
    const path = `/${type}/${kept.body.data.id}`
    const message = (path: string) =>
      to === 'users'
        ? `The ${path} must be the ID of a member of this workspace.`
        : `The ${path} must be the ID of an existing record in ${to}.`
    const items = [
      good,
      NOWHERE,
      'nonsense',
      good.toUpperCase(),
      another,
      lost,
      5,
      null,
      true,
      {},
      [good],
      '',
      ` ${good}`,
    ]
    const bad = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((index) => `${key}.${index}`)
    const expected = Object.fromEntries(bad.map((path) => [path, [message(path)]]))
    expect(await problemsOf(api.post(`/${type}`, { title: 'x', [key]: items }))).toEqual(expected)
    expect(await problemsOf(api.put(path, { [key]: items }))).toEqual(expected)
    for (const wrong of [good, 5, true, { 0: good }, '']) {
      const list = { [key]: [`The ${key} must be a list of IDs.`] }
      expect(await problemsOf(api.post(`/${type}`, { title: 'x', [key]: wrong }))).toEqual(list)
      expect(await problemsOf(api.put(path, { [key]: wrong }))).toEqual(list)
    }
    expect((await api.get(`${path}?include=${relation}`)).body).toEqual(kept.body)
  })

  it.each(lists)('%s.%s: at most 500 ids a list', async (type, key, to, relation) => {
    const { api } = workspace
    const [id = ''] = await targets(to, 1)
    const full = await api.post(`/${type}?include=${relation},${relation}Count`, {
      title: 'x',
      [key]: Array(500).fill(id),
    })
    expect(linked(full, relation)).toEqual([id])
    const problems = await problemsOf(api.post(`/${type}`, { title: 'x', [key]: Array(501).fill(id) }))
    expect(Object.keys(problems)).toEqual([key])
    expect(problems[key]?.[0]).toContain('500')
    const unknown = await problemsOf(api.post(`/${type}`, { title: 'x', [key]: Array(500).fill(NOWHERE) }))
    expect(Object.keys(unknown)).toHaveLength(500)
  })

  it('500 companies can be linked at once, and replaced by others', async () => {
    const { api } = workspace
    const ids = await Promise.all(Array.from({ length: 510 }, async () => (await made(api, 'companies')).id))
    const sent = { title: 'Many', company_ids: ids.slice(0, 500) }
    const created = await api.post('/tasks?include=companies,companiesCount', sent)
    expect(linked(created, 'companies')).toEqual(ids.slice(0, 500).sort())
    const path = `/tasks/${created.body.data.id}?include=companies,companiesCount`
    expect(linked(await api.put(path, { company_ids: ids.slice(10) }), 'companies')).toEqual(ids.slice(10).sort())
  })
})

describe('2. A deleted related record is in no list, count or filter; a member who left is nobody', () => {
  it.each(lists)('%s.%s', async (type, key, to, relation) => {
    const { api } = workspace
    const member = to === 'users' ? await workspace.member('member') : undefined
    const leaving = member?.id ?? (await targets(to, 1))[0] ?? ''
    const [staying = ''] = (await targets(to, 2)).filter((id) => id !== leaving)
    const title = `Linked with ${leaving}`
    const include = `include=${relation},${relation}Count`
    const created = await api.post(`/${type}?${include}`, { title, [key]: [leaving, staying] })
    const { id, attributes } = created.body.data
    const path = `/${type}/${id}?${include}`
    if (member) await workspace.remove(member)
    else if (to !== 'users') await gone(api, to, leaving)
    expect(linked(await api.get(path), relation)).toEqual([staying])
    const mine = { title: { $eq: title } }
    expect(await found(api, type, { ...mine, [relation]: { $in: [leaving] } })).toEqual([])
    expect(await found(api, type, { ...mine, [relation]: { $in: [staying] } })).toEqual([title])
    expect(Object.keys(await problemsOf(api.put(path, { [key]: [leaving] })))).toEqual([`${key}.0`])
    // What can be seen is sent back, which changes nothing and keeps the link for a restore.
    const same = await api.put(path, { [key]: [staying] })
    expect(same.body.data.attributes.updated_at).toBe(attributes.updated_at)
    if (to === 'users') return
    await putBack(workspace, to, leaving)
    expect(linked(await api.get(path), relation)).toEqual([leaving, staying].sort())
    await gone(api, to, leaving)
    await gone(api, to, staying)
    expect(await found(api, type, { ...mine, [relation]: { $is_empty: true } })).toEqual([title])
    expect(linked(await api.get(path), relation)).toEqual([])
  })
})
