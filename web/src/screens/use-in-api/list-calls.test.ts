import { parseQueryString } from '@kith/contract/query-string'
import { describe, expect, it } from 'vitest'
import { listCalls } from './list-calls.ts'
import { literal, quoted } from './literal.ts'

const asked = {
  per_page: 100,
  sort: '-created_at,name',
  filter: { name: { $contains: "O'Neill & Söhne" }, custom_fields: { stage: { $in: ['A, B', 'C'] } } },
  include: 'company',
}

function codeOf(id: string): string {
  return listCalls('https://crm.example.com/api', 'people', asked).find((call) => call.id === id)?.code ?? ''
}

describe('the calls of a list', () => {
  it('carry all parameters in the address', () => {
    const [, address = ''] = /^curl '(.*)' \\$/m.exec(codeOf('curl')) ?? []
    const [path, query = ''] = address.replaceAll("'\\''", "'").split('?')
    expect(path).toBe('https://crm.example.com/api/v1/people')
    expect(parseQueryString(query, (_path, message) => expect.fail(message))).toEqual({ ...asked, per_page: '100' })
  })

  it('carry the same in a body', () => {
    expect(JSON.parse(codeOf('body'))).toEqual(asked)
    expect(codeOf('query')).toContain('/v1/people/query')
  })

  it('are TypeScript that an integrator can paste', () => {
    expect(codeOf('client')).toContain("sort: ['-created_at', 'name']")
    expect(codeOf('client')).toContain("name: { $contains: 'O\\'Neill & Söhne' }")
  })
})

describe('a literal', () => {
  const values = [
    null,
    true,
    1.5,
    'it\'s "quoted" \\ \n',
    [],
    {},
    { 'a-b': [1, { $or: ['x'.repeat(90)] }], plain: 'y' },
  ]

  it.each(values.map((value) => [value]))('means the same when it is read: %j', (value) => {
    // It is source text, and only running it tells what it means.
    expect(new Function(`return ${literal(value)}`)()).toEqual(value)
  })
})

describe('a quoted argument', () => {
  it('keeps quotes', () => {
    expect(quoted("it's")).toBe("'it'\\''s'")
  })
})
