import { generalSchema } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { exampleParts } from '../../src/http/openapi/examples.ts'
import { checkAnswer } from '../answer-check.ts'

const BASE = 'http://localhost:3000/api'

/** The document's own example of a company, changed. */
function company(change: (document: { data: { attributes: Record<string, unknown> } }) => void = () => {}) {
  const document = JSON.parse(JSON.stringify(exampleParts(BASE, generalSchema).CompanyDocument?.value))
  change(document)
  return document
}

type Sent = { method?: string; path?: string; status?: number; type?: string; without?: string; body?: unknown }

function check(sent: Sent): () => void {
  const { method = 'GET', path = '/companies/x', status = 200, type = 'application/vnd.api+json' } = sent
  const { body = company() } = sent
  const carried = new Headers({ 'Content-Type': type, 'X-Request-Id': 'one', 'X-Schema-Version': '1', ETag: '"1~2"' })
  if (sent.without) carried.delete(sent.without)
  const answered = { status, headers: carried, text: JSON.stringify(body), body }
  return () => checkAnswer({ method, url: `${BASE}/v1${path}`, body: undefined }, answered)
}

const refused = { type: 'application/json', body: { message: 'No.' } }

describe('every answer in the tests is checked against the OpenAPI document, which', () => {
  it.each<[string, Sent]>([
    ['an answer as it should be', {}],
    ['an attribute that `fields` left out', { path: '/companies/x?fields=name', body: company(dropOwner) }],
    ['a refusal', { ...refused, status: 404 }],
    ['an unknown path', { ...refused, path: '/Nothing', status: 404, without: 'X-Schema-Version' }],
  ])('accepts %s', (_name, sent) => {
    expect(check(sent)).not.toThrow()
  })

  it.each<[string, string, Sent]>([
    ['a status that the endpoint does not have', 'the status is not among 200, 304, 401', { status: 201 }],
    ['another media type', 'the Content-Type is application/json', { type: 'application/json' }],
    ['no X-Request-Id', 'the header X-Request-Id is missing', { without: 'X-Request-Id' }],
    ['an unknown key', '/data/attributes/creator_id must be integer', { body: company(addCreator) }],
    ['a missing attribute', 'the attributes are not all there', { body: company(dropOwner) }],
    ['a time without fraction', '/data/attributes/created_at must match', { body: company(roundTime) }],
    [
      'more in a refusal than belongs there',
      'request_id',
      { ...refused, status: 404, body: { ...refused.body, request_id: '1' } },
    ],
    ['a success on an unknown path', 'no such path or method', { path: '/Nothing' }],
    ['an unknown method without Allow', 'there is no Allow header', { ...refused, method: 'POST', status: 405 }],
  ])('refuses %s', (_name, problem, sent) => {
    expect(check(sent)).toThrow(problem)
  })
})

function addCreator({ data }: ReturnType<typeof company>): void {
  data.attributes.creator_id = '01kb8w0z1y2x3w4v5t6s7r8q9p'
}

function dropOwner({ data }: ReturnType<typeof company>): void {
  delete data.attributes.account_owner_id
}

function roundTime({ data }: ReturnType<typeof company>): void {
  data.attributes.created_at = '2026-11-14T09:30:00Z'
}
