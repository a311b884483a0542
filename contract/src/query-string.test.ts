import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Issue, reportInto } from './issue.ts'
import { parseQueryString, writeQueryString } from './query-string.ts'

function parse(text: string): { value: unknown; issues: Issue[] } {
  const issues: Issue[] = []
  // Objects without prototypes are told apart from others by toStrictEqual only, which is not the point here.
  return { value: structuredClone(parseQueryString(text, reportInto(issues))), issues }
}

describe('parseQueryString', () => {
  it.each([
    ['', {}],
    ['&&', {}],
    ['page=2&per_page=5', { page: '2', per_page: '5' }],
    ['flag', { flag: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['filter[name][$eq]=x', { filter: { name: { $eq: 'x' } } }],
    ['filter%5Bname%5D%5B%24eq%5D=x', { filter: { name: { $eq: 'x' } } }],
    [
      'filter[$or][0][name][$eq]=x&filter[$or][1][name][$eq]=y',
      {
        filter: { $or: { 0: { name: { $eq: 'x' } }, 1: { name: { $eq: 'y' } } } },
      },
    ],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[b][]=1&a[b][]=2&a[c]=3', { a: { b: ['1', '2'], c: '3' } }],
    ['fields[people]=name', { fields: { people: 'name' } }],
    ['q=a+b%20c%2B', { q: 'a b c+' }],
    ['q=%E2%82%AC', { q: '€' }],
    ['include=a,b', { include: 'a,b' }],
    ['a]b=1', { 'a]b': '1' }],
  ])('reads %s', (text, value) => {
    expect(parse(text)).toEqual({ value, issues: [] })
  })

  it('takes the deepest filter that the limits allow', () => {
    const deepest = 'filter[$or][0][$and][0][$or][0][companies][people][custom_fields][emails][domain][$in][]=x.com'
    expect(parse(deepest).issues).toEqual([])
  })

  it.each([
    ['page=1&page=2', 'page', 'The parameter page was sent more than once.'],
    ['fields[people]=a&fields=b', 'fields', 'two forms'],
    ['a[b]=1&a[b]=2', 'a.b', 'more than once'],
    ['a=1&a[]=2', 'a', 'two forms'],
    ['a[]=1&a=2', 'a', 'two forms'],
    ['a[]=1&a[0]=2', 'a.0', 'fewer brackets'],
    ['a[0]=1&a[]=2', 'a', 'two forms'],
    ['filter[a]=1&filter[a][b]=2', 'filter.a.b', 'fewer brackets'],
    ['filter[a][b]=1&filter[a]=2', 'filter.a', 'two forms'],
    ['filter[$or][][name]=1', 'filter[$or][][name]', 'empty brackets before its end'],
    ['a[b=1', 'a[b', 'not closed'],
    ['a[b]c=1', 'a[b]c', 'other than an opening bracket'],
    ['a[b[c]]=1', 'a[b[c]]', 'inside each other'],
    ['[a]=1', '[a]', 'needs a name'],
    ['=1', 'query', 'A parameter needs a name'],
    ['a=%', 'a', 'percent-encoded'],
    ['a=%zz', 'a', 'percent-encoded'],
    ['a=%ff', 'a', 'UTF-8'],
    ['a[b]=%00', 'a.b', 'NUL'],
    ['a=\u0000', 'a', 'NUL'],
    ['a=\ud800', 'a', 'UTF-8'],
    ['%ff=1', '%ff', 'UTF-8'],
    [`a${'[b]'.repeat(16)}=1`, `a${'[b]'.repeat(16)}`, 'more than 15 pairs'],
  ])('refuses %s', (text, path, message) => {
    const { issues } = parse(text)
    expect(issues).toEqual([{ path, message: expect.stringContaining(message) }])
  })

  it('refuses more than 1000 parameters with one problem', () => {
    expect(parse('a[]=1&'.repeat(1000)).issues).toEqual([])
    const { issues } = parse('a[]=1&'.repeat(1001))
    expect(issues).toEqual([{ path: 'query', message: 'The query string takes at most 1000 parameters.' }])
  })

  it('makes objects without prototypes, so that no name is special', () => {
    const value = parseQueryString('__proto__[x]=1&a[constructor]=2&a[__proto__]=3', reportInto([]))
    expect(Object.getPrototypeOf(value)).toBeNull()
    expect(Object.keys(value)).toEqual(['__proto__', 'a'])
    expect(Object.entries(value.a ?? {})).toEqual([
      ['constructor', '2'],
      ['__proto__', '3'],
    ])
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('repeats no more than a little of what was sent', () => {
    const { issues } = parse(`${'x'.repeat(5000)}[=1`)
    expect(issues[0]?.message.length).toBeLessThan(200)
    expect(issues[0]?.path.length).toBeLessThan(200)
  })

  it('never throws, whatever it is given', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ab[]=&%$+0\u0000\ud800é'), maxLength: 60 })
    fc.assert(fc.property(noise, (text) => Object.getPrototypeOf(parseQueryString(text, () => {})) === null))
  })
})

describe('writeQueryString', () => {
  it('is readable and valid', () => {
    const params = {
      filter: { $or: [{ name: { $eq: 'a b' } }, { people: { $in: ['x', 'y'] } }] },
      include: 'a,b',
      page: 2,
    }
    expect(writeQueryString(params)).toBe(
      'filter%5B$or%5D%5B0%5D%5Bname%5D%5B$eq%5D=a%20b' +
        '&filter%5B$or%5D%5B1%5D%5Bpeople%5D%5B$in%5D%5B%5D=x&filter%5B$or%5D%5B1%5D%5Bpeople%5D%5B$in%5D%5B%5D=y' +
        '&include=a,b&page=2',
    )
  })

  it('leaves out what is undefined and keeps what is empty', () => {
    expect(writeQueryString({ a: undefined, b: null, c: [], d: {}, e: '' })).toBe('b=&c=&d=&e=')
  })

  it('is the inverse of parseQueryString', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/[[\]\0]/.test(text))
    const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((value) => !value.includes('\0'))
    const { tree } = fc.letrec<{ tree: unknown; node: unknown }>((tie) => ({
      tree: fc.dictionary(name, tie('node'), { minKeys: 0, maxKeys: 4 }),
      node: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.dictionary(name, tie('node'), { minKeys: 1, maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (params) => {
        const issues: Issue[] = []
        const written = writeQueryString(Object(params))
        expect(parseQueryString(written, reportInto(issues))).toEqual(params)
        expect(issues).toEqual([])
        expect(written).toMatch(/^[A-Za-z0-9\-_.!~*'()$,%=&]*$/)
      }),
    )
  })
})

it('a list of names may be repeated without brackets, as generated clients do', () => {
  const read = (text: string) => ({ ...parseQueryString(text, (path, message) => expect([path, message]).toEqual([])) })
  expect(read('include=a&include=b&include=c,d')).toEqual({ include: ['a', 'b', 'c,d'] })
  expect(read('include[]=a&include=b&include[]=c')).toEqual({ include: ['a', 'b', 'c'] })
  expect(read('sort=-name&sort=created_at')).toEqual({ sort: ['-name', 'created_at'] })
  expect(read('fields[people]=name&fields[people]=company_id')).toEqual({ fields: { people: ['name', 'company_id'] } })
})
