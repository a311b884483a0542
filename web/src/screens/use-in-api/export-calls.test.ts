import { parseQueryString } from '@kith/contract/query-string'
import { expect, it } from 'vitest'
import { exportCalls } from './calls-of-list.ts'

it('export the list with its filter, as a file and with the client', () => {
  const filter = { name: { $contains: "O'Neill" } }
  const [curl = '', client = ''] = exportCalls('https://crm.example.com/api', 'people', { filter }).map(
    ({ code }) => code,
  )
  const [, address = ''] = /^curl --compressed '(.*)' \\$/m.exec(curl) ?? []
  const [path, query = ''] = address.replaceAll("'\\''", "'").split('?')
  expect(path).toBe('https://crm.example.com/api/v1/people/export')
  expect(parseQueryString(query, (_path, message) => expect.fail(message))).toEqual({ format: 'csv', filter })
  expect(curl).toContain('-o people.csv')
  expect(client).toContain("kith.resource('people').export({")
  expect(exportCalls('https://crm.example.com/api', 'people', {})[1]?.code).toContain(
    "kith.resource('people').export()",
  )
})
