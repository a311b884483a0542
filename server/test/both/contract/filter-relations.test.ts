import { newId } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import type { Specified } from '../../specified.ts'
import { newWorkspace, type Person, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let ann: Person
let gone: Person
const ids: Record<string, string> = {}
const idOf = (label: string) => ids[label] ?? ''
const labelsOf: Record<Specified, string[]> = {
  companies: ['Acme', 'Bolt', 'Core'],
  people: ['Pat', 'Pia', 'Pim', 'Pug'],
  opportunities: ['Offer 1', 'Offer 2', 'Offer 3'],
  tasks: ['Task 1', 'Task 2', 'Task 3', 'Task 4'],
  notes: ['Note 1', 'Note 2', 'Note 3'],
}

beforeAll(async () => {
  workspace = await newWorkspace()
  ann = await workspace.member('member')
  gone = await workspace.member('member')
  const { owner, api } = workspace
  const scope = await workspace.scope()
  const make = async (type: Specified, label: string, body: object = {}, user = owner) => {
    ids[label] = await recordOf(scope, type, { label, ...body }, { user: user.id })
  }
  await make('companies', 'Acme', { account_owner_id: ann.id })
  await make('companies', 'Bolt', { account_owner_id: gone.id }, ann)
  await make('companies', 'Core', {}, gone)
  await make('companies', 'Deleted company')
  await make('people', 'Pat', { company_id: idOf('Acme') })
  await make('people', 'Pia', { company_id: idOf('Acme') }, ann)
  await make('people', 'Pim', { company_id: idOf('Deleted company') }, gone)
  await make('people', 'Pug')
  await make('people', 'Deleted person', { company_id: idOf('Bolt') })
  await make('opportunities', 'Offer 1', { company_id: idOf('Acme'), contact_id: idOf('Pat') })
  const deleted = { company_id: idOf('Deleted company'), contact_id: idOf('Deleted person') }
  await make('opportunities', 'Offer 2', deleted, ann)
  await make('opportunities', 'Offer 3', {}, gone)
  await make('opportunities', 'Deleted offer', { company_id: idOf('Core') })
  for (const [type, name] of [
    ['tasks', 'Task'],
    ['notes', 'Note'],
  ] as const) {
    const [company_ids, people_ids] = [[idOf('Acme'), idOf('Bolt')], [idOf('Pat')]]
    await make(type, `${name} 1`, { company_ids, people_ids, opportunity_ids: [idOf('Offer 1'), idOf('Offer 2')] })
    const gones = { company_ids: [idOf('Deleted company')], people_ids: [idOf('Deleted person')] }
    await make(type, `${name} 2`, { ...gones, opportunity_ids: [idOf('Deleted offer')] }, ann)
    const mixed = { company_ids: [idOf('Bolt'), idOf('Deleted company')] }
    await make(type, `${name} 3`, mixed, gone)
  }
  await make('tasks', 'Task 4', { assignee_ids: [owner.id, ann.id, gone.id] })
  await api.patch(`/tasks/${idOf('Task 1')}`, { assignee_ids: [ann.id] })
  await api.patch(`/tasks/${idOf('Task 2')}`, { assignee_ids: [gone.id] })
  await api.delete(`/companies/${idOf('Deleted company')}`)
  await api.delete(`/people/${idOf('Deleted person')}`)
  await api.delete(`/opportunities/${idOf('Deleted offer')}`)
  await workspace.remove(gone)
})

const ask = (type: Specified, filter: object) => found(workspace.api, type, filter)
const rest = (type: Specified, labels: readonly string[]) => labelsOf[type].filter((one) => !labels.includes(one))

type Rows = [Specified, string, () => string[], string[], string[]][]

/** Resource, relation, ids, the records linked to one of them, the records linked to anyone at all. */
const links: Rows = [
  ['companies', 'creator', () => [ann.id], ['Bolt'], ['Acme', 'Bolt']],
  ['companies', 'creator', () => [ann.id, gone.id], ['Bolt'], ['Acme', 'Bolt']],
  ['companies', 'accountOwner', () => [ann.id], ['Acme'], ['Acme']],
  ['companies', 'accountOwner', () => [gone.id], [], ['Acme']],
  ['people', 'creator', () => [ann.id], ['Pia'], ['Pat', 'Pia', 'Pug']],
  ['opportunities', 'creator', () => [ann.id], ['Offer 2'], ['Offer 1', 'Offer 2']],
  ['tasks', 'creator', () => [ann.id], ['Task 2'], ['Task 1', 'Task 2', 'Task 4']],
  ['notes', 'creator', () => [ann.id], ['Note 2'], ['Note 1', 'Note 2']],
  ['tasks', 'assignees', () => [ann.id], ['Task 1', 'Task 4'], ['Task 1', 'Task 4']],
  ['tasks', 'assignees', () => [gone.id], [], ['Task 1', 'Task 4']],
  ['tasks', 'assignees', () => [workspace.owner.id, gone.id], ['Task 4'], ['Task 1', 'Task 4']],
  ['companies', 'people', () => [idOf('Pat')], ['Acme'], ['Acme']],
  ['companies', 'people', () => [idOf('Pia'), idOf('Pug')], ['Acme'], ['Acme']],
  ['companies', 'people', () => [idOf('Deleted person')], [], ['Acme']],
  ['companies', 'opportunities', () => [idOf('Offer 1')], ['Acme'], ['Acme']],
  ['companies', 'opportunities', () => [idOf('Deleted offer'), idOf('Offer 2')], [], ['Acme']],
  ['people', 'company', () => [idOf('Acme')], ['Pat', 'Pia'], ['Pat', 'Pia']],
  ['people', 'company', () => [idOf('Deleted company')], [], ['Pat', 'Pia']],
  ['opportunities', 'company', () => [idOf('Acme'), idOf('Deleted company')], ['Offer 1'], ['Offer 1']],
  ['opportunities', 'contact', () => [idOf('Pat')], ['Offer 1'], ['Offer 1']],
  ['opportunities', 'contact', () => [idOf('Deleted person')], [], ['Offer 1']],
  ['tasks', 'companies', () => [idOf('Bolt')], ['Task 1', 'Task 3'], ['Task 1', 'Task 3']],
  ['tasks', 'companies', () => [idOf('Acme'), idOf('Deleted company')], ['Task 1'], ['Task 1', 'Task 3']],
  ['tasks', 'people', () => [idOf('Pat'), idOf('Deleted person')], ['Task 1'], ['Task 1']],
  ['tasks', 'opportunities', () => [idOf('Offer 2')], ['Task 1'], ['Task 1']],
  ['notes', 'companies', () => [idOf('Acme')], ['Note 1'], ['Note 1', 'Note 3']],
  ['notes', 'people', () => [idOf('Pat')], ['Note 1'], ['Note 1']],
  ['notes', 'opportunities', () => [idOf('Deleted offer')], [], ['Note 1']],
]

describe('relation filters', () => {
  it.each(links)('%s by %s: $in, $not_in and $is_empty', async (type, name, sought, linked, holders) => {
    expect(await ask(type, { [name]: { $in: sought() } })).toEqual(linked)
    expect(await ask(type, { [name]: { $in: sought().map((id) => id.toUpperCase()) } })).toEqual(linked)
    expect(await ask(type, { [name]: { $not_in: sought() } })).toEqual(rest(type, linked))
    expect(await ask(type, { [name]: { $is_empty: false } })).toEqual(holders)
    expect(await ask(type, { [name]: { $is_empty: true } })).toEqual(rest(type, holders))
    const list = `filter[${name}][$in]=${sought().join(',')}`
    expect(await foundInAddress(workspace.api, type, list)).toEqual(linked)
  })

  const every = links.filter((row, index) => links.findIndex(([t, n]) => t === row[0] && n === row[1]) === index)

  it('cover every relation of every resource', () => {
    const declared = Object.values(registry).flatMap(({ type, relations }) =>
      Object.keys(relations).map((name) => `${type} ${name}`),
    )
    expect(every.map(([type, name]) => `${type} ${name}`).toSorted()).toEqual(declared.toSorted())
  })

  it.each(every)('%s by %s: ids that do not exist, or belong elsewhere, match nothing', async (type, name) => {
    const other = await newWorkspace()
    const { body } = await other.api.post('/companies', { name: 'Elsewhere' })
    const zeros = '00000000000000000000000000'
    const sought = [newId(Date.now()), zeros, other.owner.id, body.data.id, idOf('Task 1'), workspace.id]
    expect(await ask(type, { [name]: { $in: sought } })).toEqual([])
    expect(await ask(type, { [name]: { $not_in: sought } })).toEqual(labelsOf[type])
  })

  it.each(every)('%s by %s: a string that is no id is 422', async (type, name) => {
    const bad = ['x', '', idOf('Acme').slice(1), `${idOf('Acme').slice(0, -1)}u`, `z${idOf('Acme').slice(1)}`]
    const test = { $in: [idOf('Acme'), ...bad], $not_in: bad }
    const paths = [
      ...bad.map((_, index) => `filter.${name}.$in.${index + 1}`),
      ...bad.map((_, index) => `filter.${name}.$not_in.${index}`),
    ]
    const errors = await refused(workspace.api, type, { [name]: test })
    expect(Object.keys(errors)).toEqual(paths)
    const inAddress = await refusedInAddress(workspace.api, type, `filter[${name}][$in]=${idOf('Acme')},x`)
    expect(Object.keys(inAddress)).toEqual([`filter.${name}.$in.1`])
  })

  it.each(every)('%s by %s: lists, flags and operators are strict', async (type, name) => {
    for (const [test, path] of [
      [{ $in: idOf('Acme') }, '.$in'],
      [{ $in: [] }, '.$in'],
      [{ $not_in: [null] }, '.$not_in.0'],
      [{ $is_empty: 1 }, '.$is_empty'],
      [{ $is_empty: 'true' }, '.$is_empty'],
      [{ $eq: idOf('Acme') }, '.$eq'],
      [{ $has_any: [idOf('Acme')] }, '.$has_any'],
      [{}, ''],
      [idOf('Acme'), ''],
      [[idOf('Acme')], ''],
      [null, ''],
    ] as const) {
      expect(Object.keys(await refusedInBody(workspace.api, type, { [name]: test }))).toEqual([`filter.${name}${path}`])
    }
  })

  it.each(every.filter(([, name]) => ['creator', 'accountOwner', 'assignees'].includes(name)))(
    '%s by %s: member ids only, no nested conditions',
    async (type, name) => {
      const errors = await refused(workspace.api, type, { [name]: { name: { $eq: 'Ann' } } })
      expect(Object.keys(errors)).toEqual([`filter.${name}.name`])
      expect(errors[`filter.${name}.name`]?.[0]).toContain('$in, $not_in, $is_empty')
      const logic = await refusedInBody(workspace.api, type, { [name]: { $not: { $in: [ann.id] } } })
      expect(Object.keys(logic)).toEqual([`filter.${name}.$not`])
    },
  )

  it.each(links)(
    '%s by %s: several operators of one relation are joined by AND',
    async (type, name, sought, linked) => {
      expect(await ask(type, { [name]: { $in: sought(), $is_empty: false } })).toEqual(linked)
      expect(await ask(type, { [name]: { $in: sought(), $is_empty: true } })).toEqual([])
      expect(await ask(type, { [name]: { $in: sought(), $not_in: sought() } })).toEqual([])
    },
  )
})

describe('assigned_to_me', () => {
  it('$eq true or false speaks of the member whose token it is', async () => {
    const asAnn = await workspace.token({ user: ann })
    expect(await ask('tasks', { assigned_to_me: { $eq: true } })).toEqual(['Task 4'])
    expect(await ask('tasks', { assigned_to_me: { $eq: false } })).toEqual(['Task 1', 'Task 2', 'Task 3'])
    expect(await found(asAnn, 'tasks', { assigned_to_me: { $eq: true } })).toEqual(['Task 1', 'Task 4'])
    expect(await found(asAnn, 'tasks', { $not: { assigned_to_me: { $eq: true } } })).toEqual(['Task 2', 'Task 3'])
    expect(await foundInAddress(asAnn, 'tasks', 'filter[assigned_to_me][$eq]=0')).toEqual(['Task 2', 'Task 3'])
  })

  it('is of tasks, takes $eq alone, and a boolean', async () => {
    for (const type of ['companies', 'people', 'opportunities', 'notes'] as const) {
      const errors = await refused(workspace.api, type, { assigned_to_me: { $eq: true } })
      expect(Object.keys(errors)).toEqual(['filter.assigned_to_me'])
    }
    for (const test of [{ $in: [true] }, { $is_empty: true }]) {
      const path = `filter.assigned_to_me.${Object.keys(test)[0]}`
      expect(Object.keys(await refused(workspace.api, 'tasks', { assigned_to_me: test }))).toEqual([path])
    }
    for (const operand of ['true', 1, null]) {
      const errors = await refusedInBody(workspace.api, 'tasks', { assigned_to_me: { $eq: operand } })
      expect(Object.keys(errors)).toEqual(['filter.assigned_to_me.$eq'])
    }
  })
})
