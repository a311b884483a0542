import { describe, expect, it } from 'vitest'
import { sampleSchema } from '../test/definitions.ts'
import { parseAnswerOptions } from './answer-options.ts'
import { type Issue, reportInto } from './issue.ts'
import { type ListQuery, parseListQuery } from './list-query.ts'
import { parseQueryString } from './query-string.ts'
import { type BuiltInName, resourceIn } from './resource.ts'

const schema = sampleSchema()

function body(raw: Record<string, unknown>, type: BuiltInName = 'companies', loose = false) {
  const issues: Issue[] = []
  const query: ListQuery = parseListQuery(raw, { resource: resourceIn(schema, type), loose }, reportInto(issues))
  return { query, issues }
}

function text(params: string, type: BuiltInName = 'companies') {
  return body(
    parseQueryString(params, () => {}),
    type,
    true,
  )
}

const newestFirst = [{ by: 'attribute', name: 'created_at', descending: true }]

describe('parseListQuery', () => {
  it('has defaults, and takes what is empty as not sent', () => {
    const query = {
      per_page: 15,
      paging: { by: 'page', page: 1 },
      sort: newestFirst,
      include: [],
      fields: new Map(),
      filter: undefined,
    }
    expect(body({})).toEqual({ query, issues: [] })
    expect(text('page=&per_page=&cursor=&sort=&include=&fields=&filter=')).toEqual({ query, issues: [] })
    const nulls = { page: null, per_page: null, cursor: null, sort: null, include: null, fields: null, filter: null }
    expect(body(nulls)).toEqual({ query, issues: [] })
    expect(body({ include: [], fields: {}, filter: {} })).toEqual({ query, issues: [] })
    expect(body({ fields: [], filter: [] })).toEqual({ query, issues: [] })
  })

  it('refuses what is unknown, with the accepted names and the nearest', () => {
    expect(text('perpage=5').issues).toEqual([
      {
        path: 'perpage',
        message:
          'The parameter perpage is not known. Accepted: per_page, page, cursor, sort, include, fields, filter. Did you mean per_page?',
      },
    ])
    const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`unknown${i}`, 1]))
    expect(body(names).issues).toHaveLength(100)
    expect(body({ include: Object.keys(names) }).issues).toHaveLength(100)
    expect(body({ sort: Object.keys(names).join() }).issues).toHaveLength(100)
    expect(body({ fields: Object.keys(names) }).issues).toHaveLength(100)
    expect(body({ fields: names }).issues).toHaveLength(100)
  })

  it('passes the filter on', () => {
    expect(text('filter[name][$eq]=x').query.filter).toMatchObject({ node: 'attribute' })
    expect(text('filter[name]=x').issues[0]?.path).toBe('filter.name')
  })
})

describe('pages', () => {
  it.each([
    ['per_page', 1],
    ['per_page', 100],
    ['page', 1],
    ['page', 1_000_000],
  ])('%s may be %d', (name, value) => {
    expect(body({ [name]: value }).issues).toEqual([])
    expect(text(`${name}=${value}`).issues).toEqual([])
  })

  it.each([
    ['per_page', 0],
    ['per_page', 101],
    ['per_page', 1.5],
    ['per_page', 'x'],
    ['per_page', '1e1'],
    ['per_page', '-1'],
    ['per_page', true],
    ['per_page', [15]],
    ['page', 0],
    ['page', 1_000_001],
    ['page', '1.0'],
    ['page', {}],
  ])('%s may not be %j', (name, value) => {
    expect(body({ [name]: value }).issues.map((issue) => issue.path)).toEqual([name])
  })

  it('start by cursor with true and go on with the text they were given', () => {
    expect(text('cursor=true').query.paging).toEqual({ by: 'cursor', cursor: null })
    expect(body({ cursor: true }).query.paging).toEqual({ by: 'cursor', cursor: null })
    expect(body({ cursor: 'abc' }).query.paging).toEqual({ by: 'cursor', cursor: 'abc' })
    for (const cursor of [false, 1, ['a'], {}]) expect(body({ cursor }).issues[0]?.path).toBe('cursor')
  })

  it('go by page or by cursor, not both', () => {
    expect(text('page=1&cursor=true').issues.map((issue) => issue.path)).toEqual(['page'])
    expect(text('page=&cursor=true').issues).toEqual([])
  })
})

describe('sort', () => {
  const number = resourceIn(schema, 'companies').fields.byCode.get('number')

  it('is a comma list of native names and custom fields', () => {
    expect(text('sort=-name, updated_at,-custom_fields.number').query.sort).toEqual([
      { by: 'attribute', name: 'name', descending: true },
      { by: 'attribute', name: 'updated_at', descending: false },
      { by: 'field', field: number, descending: true },
    ])
    expect(text('sort=number').query.sort).toEqual([{ by: 'field', field: number, descending: false }])
  })

  it('takes a bare code only where no native name has it', () => {
    expect(text('sort=title', 'tasks').query.sort).toMatchObject([{ by: 'attribute', name: 'title' }])
    expect(text('sort=name', 'tasks').query.sort).toMatchObject([{ by: 'field', field: { code: 'name' } }])
  })

  it.each([
    'nam',
    'id',
    'creation_source',
    'custom_fields.nope',
    'custom_fields.',
    'email',
    'custom_fields.tags_input',
    'custom_fields.rich_text',
    'constructor',
    'name,-name',
    'number,custom_fields.number',
    '--name',
  ])('may not be %s', (sort) => {
    expect(text(`sort=${sort}`).issues.map((issue) => issue.path)).toEqual(['sort'])
  })

  it('says what can be sorted by', () => {
    const accepted = 'name, created_at, updated_at, custom_fields.text, custom_fields.number, custom_fields.currency'
    expect(text('sort=nam').issues[0]?.message).toContain(`Accepted: ${accepted}`)
    expect(text('sort=nam').issues[0]?.message).toContain('Did you mean name?')
    expect(text('sort=numbr').issues[0]?.message).toContain('Did you mean number?')
    expect(text('sort=email').issues[0]?.message).toContain(`Accepted: ${accepted}`)
  })

  it('by a custom field needs pages', () => {
    expect(text('sort=number&cursor=true').issues.map((issue) => issue.path)).toEqual(['sort'])
    expect(text('sort=name&cursor=true').issues).toEqual([])
  })

  it('is text or a list of names, and has an end', () => {
    expect(body({ sort: [5] }).issues.map((issue) => issue.path)).toEqual(['sort'])
    expect(body({ sort: ['-name', 'created_at'] }).query.sort).toEqual(body({ sort: '-name,created_at' }).query.sort)
    const codes = resourceIn(schema, 'companies').fields.list.map((field) => field.code)
    const ten = 'name,created_at,updated_at,text,number,currency,date,date_time,checkbox,toggle'
    expect(text(`sort=${ten}`).issues).toEqual([])
    expect(codes).toContain('radio')
    expect(text(`sort=${ten},radio`).issues).toEqual([{ path: 'sort', message: 'The sort takes at most 10 names.' }])
  })
})

describe('include', () => {
  it('is a comma list, a list, or repeated; repeats fold', () => {
    const include = ['creator', 'peopleCount']
    expect(text('include=creator, peopleCount,creator').query.include).toEqual(include)
    expect(text('include[]=creator&include[]=peopleCount').query.include).toEqual(include)
    expect(text('include[0]=creator&include[1]=peopleCount').query.include).toEqual(include)
    expect(body({ include }).query.include).toEqual(include)
  })

  it('refuses what is unknown', () => {
    expect(text('include=craetor,company').issues).toEqual([
      { path: 'include', message: expect.stringContaining('Did you mean creator?') },
      { path: 'include', message: expect.stringContaining('Accepted: creator, accountOwner, people, ') },
    ])
    for (const include of [7, { creator: true }, [7], 'constructor']) {
      expect(body({ include }).issues.map((issue) => issue.path)).toEqual(['include'])
    }
  })
})

describe('fields', () => {
  const selection = (attributes: string[], custom: string[] | 'all' = []) => ({
    attributes: new Set(attributes),
    custom: custom === 'all' ? custom : new Set(custom),
  })

  it('names attributes, counts and custom fields of the listed type', () => {
    const fields = new Map([['companies', selection(['name', 'people_count'], ['number'])]])
    expect(text('fields=name,people_count,custom_fields.number').query.fields).toEqual(fields)
    expect(body({ fields: ['name', 'people_count', 'custom_fields.number'] }).query.fields).toEqual(fields)
    expect(text('fields[companies]=name,people_count,custom_fields.number').query.fields).toEqual(fields)
  })

  it('shows all custom fields when custom_fields itself is named', () => {
    expect(text('fields=custom_fields.number,custom_fields').query.fields.get('companies')).toEqual(
      selection([], 'all'),
    )
  })

  it('goes by type, for every type that can appear', () => {
    const { query, issues } = text(
      'fields[people]=name,custom_fields.job_title&fields[users][]=name&fields[opportunities]=&fields[companies]=name',
    )
    expect(issues).toEqual([])
    expect(query.fields).toEqual(
      new Map([
        ['people', selection(['name'], ['job_title'])],
        ['users', selection(['name'])],
        ['opportunities', selection([])],
        ['companies', selection(['name'])],
      ]),
    )
    expect(body({ fields: { people: [], companies: null } }).query.fields).toEqual(new Map([['people', selection([])]]))
  })

  it.each([
    [{ fields: 'nam' }, 'fields', 'Did you mean name?'],
    [{ fields: 'number' }, 'fields', 'Did you mean custom_fields.number?'],
    [{ fields: 'custom_fields.nubmer' }, 'fields', 'Did you mean custom_fields.number?'],
    [{ fields: 'id' }, 'fields', 'Accepted: name, account_owner_id, '],
    [{ fields: { people: 'company_ids' } }, 'fields.people', 'Did you mean company_id?'],
    [{ fields: { users: 'password' } }, 'fields.users', 'Accepted: name, email.'],
    [{ fields: { notes: 'title' } }, 'fields.notes', 'Accepted: companies, users, people, opportunities.'],
    [{ fields: { peple: 'name' } }, 'fields.peple', 'Did you mean people?'],
    [{ fields: { people: 7 } }, 'fields.people', 'must be names'],
    [{ fields: 7 }, 'fields', 'must be names'],
    [{ fields: [7] }, 'fields', 'must be names'],
    [{ fields: JSON.parse('{"__proto__":"name"}') }, 'fields.__proto__', 'Accepted: '],
  ])('refuses %j', (raw, path, message) => {
    expect(body(raw).issues).toEqual([{ path, message: expect.stringContaining(message) }])
  })
})

describe('parseAnswerOptions', () => {
  it('takes include and fields and nothing else', () => {
    const issues: Issue[] = []
    const context = { resource: resourceIn(schema, 'people'), loose: true }
    const raw = parseQueryString('include=company&fields[companies]=name&page=2', () => {})
    const options = parseAnswerOptions(raw, context, reportInto(issues))
    expect(options.include).toEqual(['company'])
    expect([...options.fields.keys()]).toEqual(['companies'])
    expect(issues).toEqual([{ path: 'page', message: 'The parameter page is not known. Accepted: include, fields.' }])
  })
})
