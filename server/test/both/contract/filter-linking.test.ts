import { newId } from '@kith/contract/id'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, refused } from '../../filtering.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
const ids: Record<string, string> = {}
const idOf = (label: string) => ids[label] ?? ''

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api, field } = workspace
  await field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  const companies = { Acme: 'Gold', Bolt: 'Gold', Core: 'Gold', Dune: 'Silver', Elm: 'Gold' }
  for (const [name, tier] of Object.entries(companies)) {
    ids[name] = (await made(api, 'companies', { name, custom_fields: { tier } })).id
  }
  ids.Pat = (await made(api, 'people', { name: 'Pat', company_id: idOf('Acme') })).id
  ids.Offer = (await made(api, 'opportunities', { name: 'Offer', company_id: idOf('Bolt') })).id
  const task = async (title: string, status: string, links: object) => {
    ids[title] = (await made(api, 'tasks', { title, ...links, custom_fields: { status } })).id
  }
  await task('Call', 'To do', { company_ids: [idOf('Acme'), idOf('Dune')], people_ids: [idOf('Pat')] })
  await task('Write', 'Done', { company_ids: [idOf('Acme'), idOf('Bolt')], opportunity_ids: [idOf('Offer')] })
  await task('Gone', 'To do', { company_ids: [idOf('Core'), idOf('Bolt')] })
  await api.delete(`/tasks/${idOf('Gone')}`)
  ids.Minutes = (await made(api, 'notes', { title: 'Minutes', company_ids: [idOf('Bolt')] })).id
})

const all = ['Acme', 'Bolt', 'Core', 'Dune', 'Elm']

describe('sync 4. The relations tasks and notes can be filtered from companies, people and opportunities', () => {
  it('$in, $not_in and $is_empty', async () => {
    const { api } = workspace
    const in_ = (tasks: string[]) => found(api, 'companies', { tasks: { $in: tasks.map(idOf) } })
    expect(await in_(['Call'])).toEqual(['Acme', 'Dune'])
    expect(await in_(['Call', 'Write'])).toEqual(['Acme', 'Bolt', 'Dune'])
    expect(await in_(['Gone'])).toEqual([])
    expect(await in_(['Minutes'])).toEqual([])
    expect(await found(api, 'companies', { tasks: { $not_in: [idOf('Call'), idOf('Gone')] } })).toEqual([
      'Bolt',
      'Core',
      'Elm',
    ])
    expect(await found(api, 'companies', { tasks: { $is_empty: true } })).toEqual(['Core', 'Elm'])
    expect(await found(api, 'companies', { tasks: { $is_empty: false } })).toEqual(['Acme', 'Bolt', 'Dune'])
    expect(await found(api, 'companies', { notes: { $is_empty: false } })).toEqual(['Bolt'])
    expect(await found(api, 'people', { tasks: { $in: [idOf('Call')] } })).toEqual(['Pat'])
    expect(await found(api, 'people', { notes: { $is_empty: true } })).toEqual(['Pat'])
    expect(await found(api, 'opportunities', { tasks: { title: { $eq: 'Write' } } })).toEqual(['Offer'])
  })

  it('conditions: some task meets all of them together, $in included', async () => {
    const { api } = workspace
    const done = { custom_fields: { status: { $eq: 'Done' } } }
    expect(await found(api, 'companies', { tasks: done })).toEqual(['Acme', 'Bolt'])
    expect(await found(api, 'companies', { tasks: { ...done, title: { $eq: 'Call' } } })).toEqual([])
    expect(await found(api, 'companies', { tasks: { ...done, $in: [idOf('Call')] } })).toEqual([])
    expect(await found(api, 'companies', { tasks: { $not: done } })).toEqual(['Acme', 'Dune'])
    expect(await found(api, 'companies', { $not: { tasks: done } })).toEqual(['Core', 'Dune', 'Elm'])
    expect(await found(api, 'companies', { people: { tasks: { title: { $eq: 'Call' } } } })).toEqual(['Acme'])
    expect(await found(api, 'tasks', { companies: { notes: { $is_empty: false } } })).toEqual(['Write'])
  })

  it('"gold companies without an open task" is one request', async () => {
    const open = { tasks: { custom_fields: { status: { $in: ['To do', 'In progress'] } } } }
    const filter = { custom_fields: { tier: { $eq: 'Gold' } }, $not: open }
    expect(await found(workspace.api, 'companies', filter)).toEqual(['Bolt', 'Core', 'Elm'])
  })

  it('they cannot be included, and tasks and notes have no such filters', async () => {
    const { api } = workspace
    for (const name of ['tasks', 'notes']) {
      const { status, body } = await api.get(`/companies?include=${name}`)
      expect(status).toBe(422)
      expect(body.errors.include[0]).toMatch(`The companies cannot include ${name}. Accepted: creator,`)
    }
    expect(Object.keys(await refused(api, 'tasks', { notes: { $is_empty: true } }))).toEqual(['filter.notes'])
    expect(Object.keys(await refused(api, 'notes', { tasks: { $is_empty: true } }))).toEqual(['filter.tasks'])
  })
})

describe('sync 4. Lists also filter by id: $in, $not_in (≤ 100)', () => {
  it('in any letter case; an id that does not exist matches nothing', async () => {
    const { api } = workspace
    const unknown = newId(Date.now())
    const $in = [idOf('Acme'), idOf('Core').toUpperCase(), unknown, idOf('Pat')]
    expect(await found(api, 'companies', { id: { $in } })).toEqual(['Acme', 'Core'])
    expect(await found(api, 'companies', { id: { $in: [unknown] } })).toEqual([])
    expect(await found(api, 'companies', { id: { $not_in: $in } })).toEqual(['Bolt', 'Dune', 'Elm'])
    expect(await found(api, 'companies', { id: { $in: all.map(idOf), $not_in: [idOf('Elm')] } })).toHaveLength(4)
    expect(await found(api, 'companies', { $not: { id: { $in } } })).toEqual(['Bolt', 'Dune', 'Elm'])
    expect(await found(api, 'people', { company: { id: { $in: [idOf('Acme')] } } })).toEqual(['Pat'])
    expect(await found(api, 'tasks', { id: { $in: [idOf('Call'), idOf('Gone')] } })).toEqual(['Call'])
    const joined = `filter[id][$in]=${idOf('Acme')},${idOf('Bolt')}`
    expect(await foundInAddress(api, 'companies', joined)).toEqual(['Acme', 'Bolt'])
  })

  it('pages and cursors of such a list are those of any other', async () => {
    const filter = { id: { $in: all.map(idOf) } }
    const names: string[] = []
    for (let cursor: string | true | null = true; cursor !== null; ) {
      const { body } = await workspace.api.post('/companies/query', { filter, per_page: 2, cursor, sort: 'name' })
      names.push(...body.data.map((one: { attributes: { name: string } }) => one.attributes.name))
      cursor = body.meta.next_cursor
    }
    expect(names).toEqual(all)
  })

  it('422 for other operators, for what is no id, and for more than 100', async () => {
    const { api } = workspace
    const path = async (id: unknown) => Object.keys(await refused(api, 'companies', { id: id as object }))
    expect(await path({ $eq: idOf('Acme') })).toEqual(['filter.id.$eq'])
    expect(await path({ $is_empty: true })).toEqual(['filter.id.$is_empty'])
    expect(await path({ $in: ['nothing'] })).toEqual(['filter.id.$in.0'])
    const many = Array.from({ length: 101 }, () => newId(Date.now()))
    expect(await path({ $in: many })).toEqual(['filter.id.$in'])
    expect(await found(api, 'companies', { id: { $not_in: many.slice(1) } })).toEqual(all)
  })
})
