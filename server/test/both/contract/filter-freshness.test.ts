import { describe, expect, it } from 'vitest'
import { inRun } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** More often than a service has threads, so that each of them has answered the question before. */
const ASKED = inRun({ short: 5, long: 12 })

type Facts = { total: number; page: number; scanned: number }

/** The total, and how many records the first page and the scan really show, asked again and again. */
async function facts({ api }: TestWorkspace, type: string, filter: object): Promise<Facts> {
  const ask = async () => {
    const page = await api.post(`/${type}/query`, { filter, per_page: 1 })
    const all = await api.post(`/${type}/query`, { filter, per_page: 100 })
    const scan = await api.post(`/${type}/query`, { filter, per_page: 100, cursor: 'true' })
    expect(all.body.meta.total).toBe(page.body.meta.total)
    return { total: page.body.meta.total, page: all.body.data.length, scanned: scan.body.data.length }
  }
  const [first, ...others] = await Promise.all(Array.from({ length: ASKED }, ask))
  for (const other of others) expect(other).toEqual(first)
  return first ?? { total: -1, page: -1, scanned: -1 }
}

const counted = (count: number): Facts => ({ total: count, page: count, scanned: count })

describe('what a filter finds and counts follows every write at once', () => {
  it('of the record itself', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const filter = { custom_fields: { icp: { $eq: true } } }
    const ids: string[] = []
    for (const name of ['A', 'B', 'C']) {
      ids.push((await api.post('/companies', { name, custom_fields: { icp: true } })).body.data.id)
    }
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(3))
    await api.patch(`/companies/${ids[0]}`, { custom_fields: { icp: null } })
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(2))
    expect(await facts(workspace, 'companies', { $not: filter })).toEqual(counted(1))
    await api.delete(`/companies/${ids[1]}`)
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(1))
    expect(await facts(workspace, 'companies', { $not: filter })).toEqual(counted(1))
  })

  it.each([
    ['short', 'rbor'],
    ['of some letters', 'harbor'],
    ['of several words', 'arbor & "söhne" mob'],
  ])('of a part of the name, %s', async (_length, part) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const filter = { name: { $contains: part } }
    const names = ['Harbor & "Söhne" Mobility', 'HARBOR & "SÖHNE" Mobiles', 'Harbour & Sons', 'Mobility & "Söhne" Harb']
    const ids: string[] = []
    for (const name of names) ids.push((await api.post('/companies', { name })).body.data.id)
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(2))
    await api.patch(`/companies/${ids[0]}`, { name: 'Pier 9' })
    await api.patch(`/companies/${ids[2]}`, { name: 'The Harbor & "Söhne" Mob' })
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(2))
    await api.delete(`/companies/${ids[1]}`)
    expect(await facts(workspace, 'companies', filter)).toEqual(counted(1))
    expect(await facts(workspace, 'companies', { $not: filter })).toEqual(counted(2))
  })

  it('of a related record', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const company_id = (await api.post('/companies', { name: 'A' })).body.data.id
    const person = (await api.post('/people', { name: 'P', company_id })).body.data.id
    await api.post('/notes', { title: 'N', people_ids: [person] })
    const byName = { people: { name: { $eq: 'P' } } }
    expect(await facts(workspace, 'companies', byName)).toEqual(counted(1))
    expect(await facts(workspace, 'notes', { people: { $is_empty: true } })).toEqual(counted(0))
    await api.patch(`/people/${person}`, { name: 'Q' })
    expect(await facts(workspace, 'companies', byName)).toEqual(counted(0))
    await api.delete(`/people/${person}`)
    expect(await facts(workspace, 'companies', { people: { $is_empty: true } })).toEqual(counted(1))
    expect(await facts(workspace, 'notes', { people: { $is_empty: true } })).toEqual(counted(1))
  })

  it('of the links of a task', async () => {
    const workspace = await newWorkspace()
    const { api, owner } = workspace
    const task = (await api.post('/tasks', { title: 'T' })).body.data.id
    const mine = { assigned_to_me: { $eq: true } }
    expect(await facts(workspace, 'tasks', mine)).toEqual(counted(0))
    await api.patch(`/tasks/${task}`, { assignee_ids: [owner.id] })
    expect(await facts(workspace, 'tasks', mine)).toEqual(counted(1))
    await api.patch(`/tasks/${task}`, { assignee_ids: null })
    expect(await facts(workspace, 'tasks', mine)).toEqual(counted(0))
  })

  it('of the members', async () => {
    const workspace = await newWorkspace()
    const ann = await workspace.member('member')
    await workspace.api.post('/companies', { name: 'A', account_owner_id: ann.id })
    await workspace.api.post('/tasks', { title: 'T', assignee_ids: [ann.id] })
    expect(await facts(workspace, 'companies', { accountOwner: { $in: [ann.id] } })).toEqual(counted(1))
    expect(await facts(workspace, 'tasks', { assignees: { $is_empty: true } })).toEqual(counted(0))
    await workspace.remove(ann)
    expect(await facts(workspace, 'companies', { accountOwner: { $in: [ann.id] } })).toEqual(counted(0))
    expect(await facts(workspace, 'companies', { accountOwner: { $is_empty: true } })).toEqual(counted(1))
    expect(await facts(workspace, 'tasks', { assignees: { $is_empty: true } })).toEqual(counted(1))
  })

  it('of the options of a field', async () => {
    const workspace = await newWorkspace()
    const { api, updateField } = workspace
    await workspace.field('companies', { name: 'Size', type: 'select', options: ['S', 'M'] })
    for (const size of ['S', 'M']) await api.post('/companies', { name: size, custom_fields: { size } })
    expect(await facts(workspace, 'companies', { custom_fields: { size: { $is_empty: true } } })).toEqual(counted(0))
    await updateField('companies', 'size', { options: ['M'] })
    expect(await facts(workspace, 'companies', { custom_fields: { size: { $is_empty: true } } })).toEqual(counted(1))
    expect(await facts(workspace, 'companies', { custom_fields: { size: { $not_in: ['M'] } } })).toEqual(counted(1))
  })
})
