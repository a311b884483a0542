import { describe, expectTypeOf, it } from 'vitest'
import { type Choice, type Client, createClient, type Day, type Identifier, type Moment, related } from './client.ts'

type Fields = {
  companies: { domains: string[]; icp: boolean | null; size: number | null; founded: Day | null; motto: string | null }
  opportunities: { stage: Choice | null; regions: Choice[]; called_at: Moment | null }
  projects: {
    state: Choice<'Open' | 'Done'> | null
    areas: Choice<'A' | 'B'>[]
    client: Identifier<'companies'> | null
  }
}

const kith = createClient<Fields>({ url: 'http://localhost:3000/api', token: 'kith_x' })
const open: Client = createClient({ url: 'http://localhost:3000/api', token: 'kith_x' })

/** This code is only compiled: `tsc` reports a line that should have been wrong and is not. */
function compiled(_calls: () => unknown): void {}

describe('filters are typed by resource', () => {
  it('takes what the resource can be filtered by', () => {
    compiled(() => [
      kith.companies.list({ filter: { name: { $contains: 'a' }, accountOwner: { $in: ['id'] } } }),
      kith.people.list({ filter: { created_at: { $gte: new Date() }, creation_source: { $not_in: ['api', 'web'] } } }),
      kith.tasks.list({
        filter: { title: { $eq: 'Call' }, assigned_to_me: { $eq: true }, assignees: { $in: ['id'] } },
      }),
      kith.notes.list({ filter: { $or: [{ title: { $is_empty: true } }, { $not: { people: { $in: ['id'] } } }] } }),
      kith.people.list({ filter: { company: { $not_in: ['id'], people: { name: { $eq: 'Ada' } } } } }),
      open.people.list({ filter: { custom_fields: { emails: { domain: { $in: ['acme.com'] } } } } }),
    ])
  })

  it('refuses names of another resource', () => {
    compiled(() => [
      // @ts-expect-error A task has a title.
      kith.tasks.list({ filter: { name: { $eq: 'Call' } } }),
      // @ts-expect-error Only companies have an owner.
      kith.people.list({ filter: { accountOwner: { $in: ['id'] } } }),
      // @ts-expect-error Only tasks are assigned.
      kith.notes.list({ filter: { assigned_to_me: { $eq: true } } }),
      // @ts-expect-error Nothing is called so.
      kith.companies.list({ filter: { nmae: { $eq: 'Acme' } } }),
      // @ts-expect-error The company of a person has no title.
      kith.people.list({ filter: { company: { title: { $eq: 'Acme' } } } }),
    ])
  })

  it('refuses operators that a field does not take, and operands of another type', () => {
    compiled(() => [
      // @ts-expect-error A bare value is no condition.
      kith.companies.list({ filter: { name: 'Acme' } }),
      // @ts-expect-error Names are not compared by size.
      kith.companies.list({ filter: { name: { $gt: 'A' } } }),
      // @ts-expect-error Operators begin with a dollar sign.
      kith.companies.list({ filter: { name: { eq: 'Acme' } } }),
      // @ts-expect-error `$is_empty` takes true or false.
      kith.companies.list({ filter: { name: { $is_empty: 'yes' } } }),
      // @ts-expect-error There is no such source.
      kith.companies.list({ filter: { creation_source: { $eq: 'fax' } } }),
      // @ts-expect-error `$in` takes a list.
      kith.people.list({ filter: { company: { $in: 'id' } } }),
      // @ts-expect-error Members take ids, no nested conditions.
      kith.people.list({ filter: { creator: { name: { $eq: 'Ada' } } } }),
      // @ts-expect-error `$or` takes a list of conditions.
      kith.people.list({ filter: { $or: { name: { $eq: 'Ada' } } } }),
      // @ts-expect-error Wrong inside `$and`, too.
      kith.people.list({ filter: { $and: [{ name: { $gt: 'Ada' } }] } }),
    ])
  })

  it('nests relations to two levels', () => {
    compiled(() => [
      kith.people.list({ filter: { company: { opportunities: { name: { $eq: 'Deal' } } } } }),
      // @ts-expect-error A third level is one too many.
      kith.people.list({ filter: { company: { opportunities: { contact: { name: { $eq: 'Ada' } } } } } }),
      // @ts-expect-error Member relations count as a level.
      kith.people.list({ filter: { company: { people: { creator: { $in: ['id'] } } } } }),
    ])
  })
})

describe('custom fields are typed by the generic', () => {
  it('filters each by what its values are', () => {
    compiled(() => [
      kith.companies.list({
        filter: {
          custom_fields: {
            domains: { $has_any: ['acme.com'], domain: { $not_in: ['example.com'] } },
            icp: { $eq: true },
            size: { $gte: 10, $lt: 50 },
            founded: { $lte: '2020-01-01' },
            motto: { $contains: 'we' },
          },
        },
      }),
      kith.opportunities.list({
        filter: {
          custom_fields: {
            stage: { $in: ['Closed Won'] },
            regions: { $has_none: ['EMEA'] },
            called_at: { $gt: new Date() },
          },
        },
      }),
      kith.people.list({ filter: { company: { custom_fields: { icp: { $eq: true } } } } }),
      // @ts-expect-error The workspace has no such field.
      kith.companies.list({ filter: { custom_fields: { domain: { $has_any: ['acme.com'] } } } }),
      // @ts-expect-error Lists are asked for what they have.
      kith.companies.list({ filter: { custom_fields: { domains: { $eq: 'acme.com' } } } }),
      // @ts-expect-error A toggle is true or false.
      kith.companies.list({ filter: { custom_fields: { icp: { $eq: 'yes' } } } }),
      // @ts-expect-error A text has no order to filter by.
      kith.companies.list({ filter: { custom_fields: { motto: { $gt: 'we' } } } }),
      // @ts-expect-error A day is not searched as text.
      kith.companies.list({ filter: { custom_fields: { founded: { $contains: '2020' } } } }),
      // @ts-expect-error Through a relation, too.
      kith.people.list({ filter: { company: { custom_fields: { size: { $contains: '1' } } } } }),
    ])
  })

  it('writes what may be written, and refuses the rest', () => {
    compiled(() => [
      kith.companies.create({ name: 'Acme', custom_fields: { domains: 'acme.com', size: '12', icp: null } }),
      kith.opportunities.update('id', { custom_fields: { stage: 'Closed Won', called_at: new Date() } }),
      kith.people.create({ name: 'Ada', custom_fields: { anything: ['goes'] } }),
      // @ts-expect-error The workspace has no such field.
      kith.companies.create({ name: 'Acme', custom_fields: { domain: 'acme.com' } }),
      // @ts-expect-error A toggle is true or false.
      kith.companies.create({ name: 'Acme', custom_fields: { icp: 'yes' } }),
      // @ts-expect-error A name is required.
      kith.companies.create({ custom_fields: {} }),
      // @ts-expect-error A company has no company.
      kith.companies.create({ name: 'Acme', company_id: 'id' }),
      // @ts-expect-error An upsert says what to match.
      kith.companies.upsert({ name: 'Acme' }),
      // @ts-expect-error A match is made on a text.
      kith.companies.upsert({ name: 'Acme', match: { field: 'icp', value: 'true' } }),
    ])
  })

  it('sorts by single values only, and shows what the record has', () => {
    compiled(() => [
      kith.companies.list({ sort: ['-custom_fields.size', 'name'], fields: ['name', 'custom_fields.icp'] }),
      kith.people.list({ sort: 'custom_fields.anything', fields: { companies: ['name'], users: ['email'] } }),
      // @ts-expect-error A list has no place in an order.
      kith.companies.list({ sort: 'custom_fields.domains' }),
      // @ts-expect-error A company has no title.
      kith.companies.list({ sort: 'title' }),
      // @ts-expect-error A company has no title to show.
      kith.companies.list({ fields: ['title'] }),
      // @ts-expect-error A company has no company.
      kith.companies.list({ include: ['company'] }),
    ])
  })
})

describe('labels of options are typed', () => {
  const projects = kith.resource('projects')

  it('in writes, where an option can also be named as it is read', () => {
    compiled(() => [
      projects.create({ name: 'One', custom_fields: { state: 'Done', areas: ['A', { id: 'id' }] } }),
      projects.update('id', { custom_fields: { state: { id: 'id', label: 'Old' }, areas: { $add: ['B'] } } }),
      // @ts-expect-error There is no such option.
      projects.create({ name: 'One', custom_fields: { state: 'Nope' } }),
      // @ts-expect-error Nor in a list.
      projects.create({ name: 'One', custom_fields: { areas: ['A', 'C'] } }),
      // @ts-expect-error Nor in an edit of a list.
      projects.update('id', { custom_fields: { areas: { $remove: ['C'] } } }),
      // @ts-expect-error Nor in an upsert.
      projects.upsert({ name: 'One', match: { field: 'external_ids.x', value: '1' }, custom_fields: { state: 'No' } }),
      // @ts-expect-error Nor in a batch.
      kith.batch([{ op: 'create', resource: 'projects', data: { name: 'One', custom_fields: { state: 'Nope' } } }]),
    ])
  })

  it('in filters', () => {
    compiled(() => [
      projects.list({ filter: { custom_fields: { state: { $in: ['Open', 'Done'] }, areas: { $has_any: ['A'] } } } }),
      projects.list({ filter: { custom_fields: { state: { $eq: { id: 'id' } } } } }),
      // @ts-expect-error There is no such option.
      projects.list({ filter: { custom_fields: { state: { $eq: 'Nope' } } } }),
      // @ts-expect-error Nor in a list.
      projects.list({ filter: { custom_fields: { areas: { $has_none: ['A', 'C'] } } } }),
    ])
  })
})

describe('own resources', () => {
  it('are declared like built-in ones, alone too', () => {
    interface Interface {
      companies: { icp: boolean | null }
    }
    compiled(() => {
      const own = createClient<{ projects: { goal: string | null } }>({ url: '', token: '' })
      createClient<Interface>({ url: '', token: '' })
      own.resource('projects').list({ filter: { custom_fields: { goal: { $eq: 'Moon' } } } })
      own.companies.create({ name: 'Acme', custom_fields: { anything: 'goes' } })
      // @ts-expect-error The resource has no such field.
      own.resource('projects').create({ name: 'Apollo', custom_fields: { gaol: 'Moon' } })
      // @ts-expect-error Fields are declared by their codes.
      return createClient<{ companies: string }>({ url: '', token: '' })
    })
  })

  it('have references, which are filtered as relations', () => {
    const projects = kith.resource('projects')
    compiled(() => [
      projects.list({ filter: { custom_fields: { client: { $in: ['id'] } } } }),
      projects.list({ filter: { custom_fields: { client: { custom_fields: { icp: { $eq: true } } } } } }),
      // @ts-expect-error The related company has no such field.
      projects.list({ filter: { custom_fields: { client: { custom_fields: { state: { $eq: 'Open' } } } } } }),
      // @ts-expect-error A reference is no text.
      projects.list({ filter: { custom_fields: { client: { $contains: 'Acme' } } } }),
      // @ts-expect-error References have no order.
      projects.list({ sort: 'custom_fields.client' }),
    ])
  })
})

describe('answers', () => {
  it('are of the resource, with the values of its custom fields', () => {
    const create = () => kith.companies.create({ name: 'Acme' })
    type Company = Awaited<ReturnType<typeof create>>['data']
    expectTypeOf<Company['type']>().toEqualTypeOf<'companies'>()
    expectTypeOf<Company['attributes']['account_owner_id']>().toEqualTypeOf<string | null>()
    expectTypeOf<Company['attributes']['custom_fields']>().toEqualTypeOf<Fields['companies']>()
    const read = () => kith.tasks.read('id')
    type Task = Awaited<ReturnType<typeof read>>['data']
    expectTypeOf<Task['attributes']['title']>().toEqualTypeOf<string>()
    expectTypeOf<Task>().not.toHaveProperty('relationships')
  })

  it('have the relations and counts that were included', () => {
    const read = () => kith.people.read('id', { include: ['company', 'notesCount'] })
    type Read = Awaited<ReturnType<typeof read>>
    expectTypeOf<Read['data']['attributes']['notes_count']>().toEqualTypeOf<number>()
    expectTypeOf<Read['data']['attributes']>().not.toHaveProperty('tasks_count')
    expectTypeOf<Read['data']['relationships']>().toEqualTypeOf<{
      company: { data: { id: string; type: 'companies' } | null }
    }>()
    expectTypeOf<Read['included'][number]['attributes']['custom_fields']>().toEqualTypeOf<Fields['companies']>()
    const company = (document: Read) => related(document, document.data, 'company')
    expectTypeOf<ReturnType<typeof company>>().toEqualTypeOf<Read['included'][number] | null>()
    // @ts-expect-error What was not included cannot be found.
    compiled(async () => related(await read(), (await read()).data, 'creator'))
  })

  it('distinguish related members from related records', () => {
    const read = () => kith.tasks.read('id', { include: ['assignees', 'people'] })
    const assignees = (document: Awaited<ReturnType<typeof read>>) => related(document, document.data, 'assignees')
    expectTypeOf<ReturnType<typeof assignees>[number]['attributes']>().toEqualTypeOf<{ name: string; email: string }>()
  })

  it('may lack anything when the running program decides what is included', () => {
    const read = (include: ('company' | 'notesCount')[]) => kith.people.read('id', { include })
    type Read = Awaited<ReturnType<typeof read>>
    expectTypeOf<Read['data']['attributes']['notes_count']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<undefined>().toExtend<Read['included']>()
  })

  it('may lack every attribute when fields were chosen', () => {
    const read = () => kith.companies.read('id', { fields: ['name'] })
    type Attributes = Awaited<ReturnType<typeof read>>['data']['attributes']
    expectTypeOf<Attributes['name']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Attributes['custom_fields']>().toEqualTypeOf<Partial<Fields['companies']> | undefined>()
  })

  it('can be sent back as they were read', () => {
    compiled(async () => {
      const { data: company } = await kith.companies.read('id', { include: ['peopleCount'] })
      await kith.companies.update(company.id, company.attributes)
      const { data: opportunity } = await kith.opportunities.read('id')
      await kith.opportunities.update(opportunity.id, opportunity.attributes)
      const { data: note } = await open.notes.read('id')
      await open.notes.update(note.id, note.attributes)
    })
  })

  it('are scanned record by record', () => {
    const scan = () => kith.people.all({ include: ['company'], sort: '-updated_at' })
    type Person = ReturnType<typeof scan> extends AsyncGenerator<infer One> ? One : never
    expectTypeOf<Person['relationships']['company']['data']>().toEqualTypeOf<{
      id: string
      type: 'companies'
    } | null>()
  })
})

describe('members and tokens are typed', () => {
  it('as the service returns them', () => {
    type Member = ReturnType<typeof kith.users.all> extends AsyncGenerator<infer One> ? One : never
    expectTypeOf<Member['attributes']>().toEqualTypeOf<{ name: string; email: string }>()
    type Token = Awaited<ReturnType<typeof kith.token>>['data']['attributes']
    expectTypeOf<Token['role']>().toEqualTypeOf<'owner' | 'admin' | 'member' | 'viewer'>()
    expectTypeOf<Token['limits']['writes']>().toEqualTypeOf<number | null>()
    // @ts-expect-error Members are not filtered.
    compiled(() => kith.users.list({ filter: {} }))
  })
})

describe('external ids are typed', () => {
  it('in inputs, filters and the match of an upsert', () => {
    compiled(() => [
      kith.companies.create({ name: 'Acme', external_ids: { salesforce: '001A', billing: ['42'], erp: null } }),
      kith.companies.update('id', { external_ids: null }),
      kith.companies.upsert({ match: { field: 'external_ids.salesforce', value: '001A' }, name: 'Acme' }),
      kith.people.list({ filter: { company: { external_ids: { salesforce: { $has_any: ['001A'] } } } } }),
      // @ts-expect-error An id is a string.
      kith.companies.create({ name: 'Acme', external_ids: { salesforce: 7 } }),
      // @ts-expect-error External ids are not compared by size.
      kith.companies.list({ filter: { external_ids: { salesforce: { $gt: 'a' } } } }),
    ])
  })

  it('in records that include them', () => {
    type One = Awaited<ReturnType<typeof kith.companies.read<readonly ['externalIds']>>>
    expectTypeOf<One['data']['attributes']['external_ids']>().toEqualTypeOf<Record<string, string[]>>()
    type Without = Awaited<ReturnType<typeof kith.companies.read<readonly ['creator']>>>
    expectTypeOf<Without['data']['attributes']>().not.toHaveProperty('external_ids')
  })
})

describe('summaries are typed by resource', () => {
  it('takes what records can be measured and grouped by', () => {
    compiled(() => [
      kith.opportunities.summary({ measure: 'sum', field: 'custom_fields.stage', group_by: ['company', 'created_at'] }),
      kith.opportunities.summary({
        group_by: ['company.custom_fields.icp'],
        period: 'month',
        time_zone: 'UTC',
        limit: 5,
      }),
      kith.companies.summary({
        measure: 'distinct',
        field: 'name',
        filter: { name: { $contains: 'a' } },
        sort: 'label',
      }),
    ])
    expectTypeOf(kith.companies.summary).returns.resolves.toHaveProperty('meta')
  })

  it('refuses other names', () => {
    compiled(() => [
      // @ts-expect-error There is no such measure.
      kith.companies.summary({ measure: 'total' }),
      // @ts-expect-error No field has the code.
      kith.companies.summary({ group_by: ['custom_fields.stage'] }),
      // @ts-expect-error There is no such period.
      kith.companies.summary({ group_by: ['created_at'], period: 'hour' }),
    ])
  })
})
