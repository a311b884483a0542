import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { webhookCalls } from './calls-of-list.ts'

function codesOf(filter?: object): string[] {
  return webhookCalls('https://crm.example.com/api', registry.people, filter ? { filter } : {}).map(({ code }) => code)
}

it('create a webhook with the filter of the list', () => {
  const filter = { name: { $contains: "O'Neill" } }
  const [curl = '', client = ''] = codesOf(filter)
  expect(curl).toContain("curl 'https://crm.example.com/api/v1/webhooks'")
  const [, body = ''] = /-d '(.*)'$/s.exec(curl) ?? []
  const webhook = { url: 'https://example.com/kith', types: ['people.*'], filter: { people: filter } }
  expect(JSON.parse(body.replaceAll("'\\''", "'"))).toEqual(webhook)
  expect(client).toContain('await kith.webhooks.create({')
  expect(client).toContain("people: { name: { $contains: 'O\\'Neill' } }")
})

it('leave out a filter that a webhook does not take, and say so', () => {
  const [curl = '', client = ''] = codesOf({ company: { name: { $eq: 'Acme' } } })
  expect(curl).toMatch(/^# Conditions on related records cannot be followed/)
  expect(curl).not.toContain('filter')
  expect(client).toContain("kith.webhooks.create({ url: 'https://example.com/kith', types: ['people.*'] })")
})
