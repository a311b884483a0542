import { expect, it } from 'vitest'
import { registry } from './registry.ts'

const native = { time: '$eq $gt $gte $lt $lte $is_empty', source: '$eq $in $not_in $is_empty' }

it('companies and people can be filtered as the specification says', () => {
  const table = (type: 'companies' | 'people') =>
    Object.fromEntries(
      [...registry[type].filterables.values()].map(({ name, operators }) => [name, operators.join(' ')]),
    )
  const common = {
    id: '$in $not_in',
    name: '$eq $contains $is_empty',
    created_at: native.time,
    updated_at: native.time,
    creation_source: native.source,
    creator: '$in $not_in $is_empty',
  }
  const link = '$in $not_in $is_empty'
  const linking = { tasks: link, notes: link }
  expect(table('companies')).toEqual({ ...common, accountOwner: link, people: link, opportunities: link, ...linking })
  expect(table('people')).toEqual({ ...common, company: link, ...linking })
})

it('the others can be filtered as the contract says', () => {
  const kinds = (type: 'opportunities' | 'tasks' | 'notes') =>
    Object.fromEntries([...registry[type].filterables.values()].map(({ name, kind }) => [name, kind]))
  const common = { id: 'id', created_at: 'time', updated_at: 'time', creation_source: 'source', creator: 'member' }
  const records = { companies: 'record', people: 'record', opportunities: 'record' }
  const linking = { tasks: 'record', notes: 'record' }
  expect(kinds('opportunities')).toEqual({ ...common, name: 'text', company: 'record', contact: 'record', ...linking })
  expect(kinds('notes')).toEqual({ ...common, title: 'text', ...records })
  expect(kinds('tasks')).toEqual({
    ...common,
    title: 'text',
    ...records,
    assignees: 'member',
    assigned_to_me: 'computed',
  })
})

it('no inherited name can be filtered by', () => {
  for (const resource of Object.values(registry)) {
    for (const name of ['constructor', '__proto__', 'toString']) expect(resource.filterables.get(name)).toBeUndefined()
  }
})
