import { beforeAll, describe, expect, it } from 'vitest'
import { archiveField } from '../../../src/schema/define.ts'
import { foundInBody, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { type Specified, specified } from '../../specified.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources
const keysOf = async (errors: Promise<Record<string, string[]>>) => Object.keys(await errors)

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

const names: Record<Specified, string> = {
  companies:
    'name, created_at, updated_at, creation_source, creator, accountOwner, people, opportunities, tasks, notes',
  people: 'name, created_at, updated_at, creation_source, creator, company, tasks, notes',
  opportunities: 'name, created_at, updated_at, creation_source, creator, company, contact, tasks, notes',
  tasks:
    'title, created_at, updated_at, creation_source, creator, assignees, companies, people, opportunities, projects, assigned_to_me',
  notes: 'title, created_at, updated_at, creation_source, creator, companies, people, opportunities, projects',
}

describe.each(specified)('an unknown filter name of %s', (type) => {
  const { label } = declared(type)
  const accepted = `id, ${names[type]}, external_ids, custom_fields, $and, $or, $not, $search`

  it('is refused, and the answer says which one and what is accepted there', async () => {
    const errors = await refused(workspace.api, type, { xylophone: { $eq: 'x' } })
    expect(Object.keys(errors)).toEqual(['filter.xylophone'])
    const [message] = errors['filter.xylophone'] ?? []
    expect(message).toContain('xylophone')
    expect(message).toMatch(new RegExp(`Accepted: ${accepted.replaceAll('$', '\\$')}\\.$`))
  })

  it.each([
    ['nmae', 'name'],
    ['titel', 'title'],
    ['Name', 'name'],
    ['craeted_at', 'created_at'],
    ['createdAt', 'created_at'],
    ['custom_field', 'custom_fields'],
    ['customfields', 'custom_fields'],
    ['and', '$and'],
    ['$nto', '$not'],
    ['creator_id', 'creator'],
  ])('%s: with the nearest accepted name when one is close', async (sent, near) => {
    if ((near === 'name' || near === 'title') && near !== label) return
    const errors = await refused(workspace.api, type, { [sent]: { $eq: 'x' } })
    expect(Object.keys(errors)).toEqual([`filter.${sent}`])
    const [message = ''] = errors[`filter.${sent}`] ?? []
    expect(/Did you mean (.*)\?$/.exec(message)?.[1]).toBe(near)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'deleted_at', 'workspace_id', 'name_key'])(
    '%s is no name',
    async (sent) => {
      const filter = JSON.parse(`{"${sent}": {"$eq": "x"}}`)
      expect(await keysOf(refusedInBody(workspace.api, type, filter))).toEqual([`filter.${sent}`])
      const query = `filter[${sent}][$eq]=x`
      expect(await keysOf(refusedInAddress(workspace.api, type, query))).toEqual([`filter.${sent}`])
    },
  )
})

describe('what other systems call a name', () => {
  it.each([
    ['people', 'email', 'custom_fields.emails'],
    ['people', 'title', 'custom_fields.job_title'],
    ['people', 'firstName', 'name'],
    ['tasks', 'subject', 'title'],
    ['companies', 'owner', 'accountOwner'],
  ])('of %s: %s', async (type, sent, meant) => {
    const errors = await refused(workspace.api, type, { [sent]: { $eq: 'x' } })
    expect(errors[`filter.${sent}`]?.[0]).toMatch(new RegExp(`Did you mean ${meant}\\?$`))
  })

  it.each([
    ['email', 'emails?'],
    ['first_name', 'name, outside of custom_fields?'],
    ['company_id', 'company_id, outside of custom_fields?'],
  ])('under custom_fields: %s', async (sent, meant) => {
    const errors = await refused(workspace.api, 'people', { custom_fields: { [sent]: { $eq: 'x' } } })
    expect(errors[`filter.custom_fields.${sent}`]?.[0]).toContain(`Did you mean ${meant}`)
  })
})

describe('a bare value', () => {
  const id = '01kb8x2m4n6p8q0r2s4t6v8w0x'

  it.each<[string, object, string]>([
    ['an attribute', { name: 'Acme' }, '{"name":{"$eq":"Acme"}}'],
    ['null', { name: null }, '{"name":{"$is_empty":true}}'],
    ['a choice', { opportunities: { custom_fields: { stage: 'Proposal' } } }, '{"stage":{"$eq":"Proposal"}}'],
    ['choices', { opportunities: { custom_fields: { stage: ['A', 'B'] } } }, '{"stage":{"$in":["A","B"]}}'],
    ['one of several values', { custom_fields: { domains: 'a.com' } }, '{"domains":{"$has_any":["a.com"]}}'],
    ['the ID of a record', { people: id }, `{"people":{"$in":["${id}"]}}`],
    ['the name of a record', { people: 'Ada' }, '{"people":{"name":{"$eq":"Ada"}}}'],
    ['a member', { accountOwner: 'me' }, '{"accountOwner":{"$in":["me"]}}'],
  ])('in a body: %s is refused with the filter that was meant', async (_what, filter, meant) => {
    const [[message] = []] = Object.values(await refusedInBody(workspace.api, 'companies', filter))
    expect(message).toMatch(/ must be an object with at least one of: .*\$/)
    expect(message?.endsWith(` Send ${meant}.`), message).toBe(true)
  })

  it.each([
    ['filter[name]=Acme', 'filter[name][$eq]=Acme'],
    ['filter[custom_fields][domains]=a.com', 'filter[custom_fields][domains][$has_any]=a.com'],
    ['filter[people]=Ada', 'filter[people][name][$eq]=Ada'],
  ])('in an address: %s', async (query, meant) => {
    const [[message] = []] = Object.values(await refusedInAddress(workspace.api, 'companies', query))
    expect(message?.endsWith(` Send ${meant}.`), message).toBe(true)
  })

  it('of a member who is named is refused without a guess', async () => {
    const errors = await refusedInBody(workspace.api, 'companies', { accountOwner: 'Ada' })
    expect(errors['filter.accountOwner']?.[0]).toMatch(/\$is_empty\.$/)
  })
})

describe('an unknown custom field', () => {
  it.each(types)('of %s is refused with the codes there are', async (type) => {
    const { body } = await workspace.api.get(`/custom-fields?entity_type=${type}`)
    const codes = body.data.map((field: { attributes: { code: string } }) => field.attributes.code)
    const errors = await refused(workspace.api, type, { custom_fields: { xylophone: { $eq: 'x' } } })
    expect(Object.keys(errors)).toEqual(['filter.custom_fields.xylophone'])
    expect(Object.values(errors)[0]?.[0]).toContain(
      codes.length > 0 ? `Accepted: ${codes.join(', ')}.` : 'None is defined.',
    )
  })

  it('is reported with the nearest code, and so is an unknown operator', async () => {
    const filter = { custom_fields: { job_tilte: { $eq: 'x' }, emails: { has_any: ['x'] }, linkedin: { domian: {} } } }
    const errors = await refusedInBody(workspace.api, 'people', filter)
    expect(errors).toEqual({
      'filter.custom_fields.job_tilte': [expect.stringMatching(/Did you mean job_title\?$/)],
      'filter.custom_fields.emails.has_any': [expect.stringMatching(/Did you mean \$has_any\?$/)],
      'filter.custom_fields.linkedin.domian': [expect.stringMatching(/Did you mean domain\?$/)],
    })
  })

  it('inactive, of another resource or of another workspace is unknown too', async () => {
    const other = await workspaceWithOwn()
    await other.field('people', { name: 'Elsewhere', type: 'text', code: 'elsewhere' })
    const { api, field, scope } = await workspaceWithOwn()
    await field('people', { name: 'Old', type: 'text', code: 'old' })
    expect(await foundInBody(api, 'people', { custom_fields: { old: { $eq: 'x' } } })).toEqual([])
    await archiveField(await scope(), { entity_type: 'people', code: 'old' })
    for (const code of ['old', 'elsewhere', 'domains', 'stage', '__proto__', 'Job_title']) {
      const filter = JSON.parse(`{"custom_fields": {"${code}": {"$eq": "x"}}}`)
      const errors = await refusedInBody(api, 'people', filter)
      expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}`])
      expect(Object.values(errors)[0]?.[0]).toContain('Accepted: emails, phone_number, job_title, linkedin.')
    }
  })
})

describe('the tree is strict', () => {
  const bodies: [string, unknown, string][] = [
    ['a bare value instead of an operator object', { name: 'Acme' }, '.name'],
    ['a bare list', { name: ['Acme'] }, '.name'],
    ['null instead of an operator object', { name: null }, '.name'],
    ['an empty operator object', { name: {} }, '.name'],
    ['a bare value of a custom field', { custom_fields: { icp: true } }, '.custom_fields.icp'],
    ['null for a custom field', { custom_fields: { icp: null } }, '.custom_fields.icp'],
    ['an empty object for a custom field', { custom_fields: { icp: {} } }, '.custom_fields.icp'],
    ['a bare domain', { custom_fields: { linkedin: { domain: 'a.com' } } }, '.custom_fields.linkedin.domain'],
    ['an empty domain', { custom_fields: { linkedin: { domain: {} } } }, '.custom_fields.linkedin.domain'],
    ['an operator without $', { name: { eq: 'Acme' } }, '.name.eq'],
    ['an operator in another case', { name: { $EQ: 'Acme' } }, '.name.$EQ'],
    ['an operator that does not exist', { name: { $ne: 'Acme' } }, '.name.$ne'],
    ['an operator at the top', { $eq: 'Acme' }, '.$eq'],
    ['an operator under custom_fields', { custom_fields: { $eq: 'x' } }, '.custom_fields.$eq'],
    ['custom_fields that is null', { custom_fields: null }, '.custom_fields'],
    ['custom_fields that is a list', { custom_fields: [{ icp: { $eq: true } }] }, '.custom_fields'],
    ['an empty custom_fields within logic', { $not: { custom_fields: {} } }, '.$not.custom_fields'],
    ['an empty custom_fields within a list', { $or: [{ custom_fields: {} }] }, '.$or.0.custom_fields'],
    ['an empty custom_fields within a relation', { people: { custom_fields: {} } }, '.people.custom_fields'],
    ['an empty $and list', { $and: [] }, '.$and'],
    ['an empty $or list', { $or: [] }, '.$or'],
    ['an $or that is no list', { $or: { name: { $eq: 'x' } } }, '.$or'],
    ['an $and of null', { $and: null }, '.$and'],
    ['an empty condition in a list', { $or: [{ name: { $eq: 'x' } }, {}] }, '.$or.1'],
    ['a text in a list', { $or: ['x'] }, '.$or.0'],
    ['a list in a list', { $or: [[{ name: { $eq: 'x' } }]] }, '.$or.0'],
    ['an empty $not', { $not: {} }, '.$not'],
    ['a $not of null', { $not: null }, '.$not'],
    ['a $not of a list', { $not: [{ name: { $eq: 'x' } }] }, '.$not'],
    ['an empty relation node', { people: {} }, '.people'],
    ['an empty relation node deeper down', { people: { company: {} } }, '.people.company'],
    ['a relation that is a list', { people: [] }, '.people'],
    ['link operators within the logic of a relation', { people: { $or: [{ $in: [] }] } }, '.people.$or.0.$in'],
    ['text', 'name', ''],
    ['a number', 7, ''],
    ['false', false, ''],
    ['a list', [{ name: { $eq: 'x' } }], ''],
  ]
  it.each(bodies)('in a body: %s is 422 at its path', async (_what, filter, path) => {
    expect(await keysOf(refusedInBody(workspace.api, 'companies', filter))).toEqual([`filter${path}`])
  })

  it.each([
    ['filter[name]=Acme', 'filter.name'],
    ['filter[name]=', 'filter.name'],
    ['filter[name][eq]=Acme', 'filter.name.eq'],
    ['filter[name][]=Acme', 'filter.name'],
    ['filter=name', 'filter'],
    ['filter[]=name', 'filter'],
    ['filter[$and]=', 'filter.$and'],
    ['filter[$or][]=x', 'filter.$or.0'],
    ['filter[$or][name][$eq]=x', 'filter.$or'],
    ['filter[$not]=', 'filter.$not'],
    ['filter[people]=', 'filter.people'],
    ['filter[people][]=x', 'filter.people'],
    ['filter[custom_fields]=x', 'filter.custom_fields'],
    ['filter[custom_fields][icp]=1', 'filter.custom_fields.icp'],
    ['filter[people][custom_fields]=', 'filter.people.custom_fields'],
    ['filter[name][$is_empty]=yes', 'filter.name.$is_empty'],
    ['filter[name][$is_empty]=', 'filter.name.$is_empty'],
    ['filter[name][$eq][]=x', 'filter.name.$eq'],
    ['filter[name][$eq][x]=x', 'filter.name.$eq'],
    ['filter[people][$in]=', 'filter.people.$in'],
    ['filter[people][$in][a]=x', 'filter.people.$in'],
  ])('in a query string: %s is 422 at %s', async (query, path) => {
    expect(await keysOf(refusedInAddress(workspace.api, 'companies', query))).toEqual([path])
  })

  it('all problems are gathered into one 422, by dotted path', async () => {
    const filter = {
      nope: { $eq: 1 },
      name: { $contains: 3, $is_empty: 'no' },
      $or: [{ name: { $eq: 'x' } }, { name: { $contains: 7 } }],
      custom_fields: { icp: { $eq: 'x' }, none: { $eq: 1 } },
      people: { $in: ['x'], company: { nope: {} } },
    }
    const { status, body } = await workspace.api.post('/companies/query', { filter, per_page: 0, sort: 'nope' })
    expect(status).toBe(422)
    const paths = [
      'per_page',
      'sort',
      'filter.nope',
      'filter.name.$contains',
      'filter.name.$is_empty',
      'filter.$or.1.name.$contains',
      'filter.custom_fields.icp.$eq',
      'filter.custom_fields.none',
      'filter.people.$in.0',
      'filter.people.company.nope',
    ]
    expect(Object.keys(body.errors)).toEqual(paths)
    expect(body.message).toBe(`${body.errors.per_page[0]} (and 9 more errors)`)
    expect(Object.keys(body)).toEqual(['message', 'errors'])
  })
})
