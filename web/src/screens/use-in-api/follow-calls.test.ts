import { parseQueryString } from '@kith/contract/query-string'
import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { followCalls } from './follow-calls.ts'

function codesOf(filter?: object): string[] {
  return followCalls('https://crm.example.com/api', registry.people, filter ? { filter } : {}).map(({ code }) => code)
}

it('follow the changes of the list, with its filter, from now on', () => {
  const filter = { name: { $contains: "O'Neill" }, company: { $in: ['01j'] } }
  const [curl = '', client = ''] = codesOf(filter)
  const [, address = ''] = /^curl -N '(.*)' \\$/m.exec(curl) ?? []
  const [path, query = ''] = address.replaceAll("'\\''", "'").split('?')
  expect(path).toBe('https://crm.example.com/api/v1/people/changes/stream')
  expect(parseQueryString(query, (_path, message) => expect.fail(message))).toEqual({ cursor: 'now', filter })
  expect(client).toContain("kith.changes.follow({\n  from: 'now',\n  resources: ['people'],")
  expect(client).toContain("company: { $in: ['01j'] }")
})

it.each([
  [{ company: { name: { $eq: 'Acme' } } }],
  [{ $or: [{ name: { $eq: 'Ada' } }, { $not: { company: { $and: [] } } }] }],
  [{ assigned_to_me: { $eq: true } }],
])('leave out a filter that another record or the reader decides, and say so: %j', (filter) => {
  const [curl = '', client = ''] = codesOf(filter)
  expect(curl).toMatch(/^# Conditions on related records cannot be followed/)
  expect(curl).not.toContain('filter')
  expect(client).toContain("kith.changes.follow({ from: 'now', resources: ['people'] })")
})
