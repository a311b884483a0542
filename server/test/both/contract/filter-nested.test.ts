import type { BuiltInName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused } from '../../filtering.ts'
import { newWorkspace, type Person, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let ann: Person
let gone: Person
const ids: Record<string, string> = {}
const idOf = (label: string) => ids[label] ?? ''

beforeAll(async () => {
  workspace = await newWorkspace()
  ann = await workspace.member('member')
  gone = await workspace.member('member')
  const scope = await workspace.scope()
  const make = async (type: BuiltInName, label: string, body: object = {}, user = workspace.owner) => {
    ids[label] = await recordOf(scope, type, { label, ...body }, { user: user.id })
  }
  const works = (company: string, job_title: string, email: string) => ({
    company_id: idOf(company),
    custom_fields: { job_title, emails: [email] },
  })
  await make('companies', 'Acme', { account_owner_id: ann.id, custom_fields: { icp: true, domains: ['acme.com'] } })
  await make('companies', 'Bolt', { custom_fields: { icp: false } }, ann)
  await make('companies', 'Core')
  await make('companies', 'Dead', { custom_fields: { icp: true } })
  await make('people', 'Pat', works('Acme', 'CEO', 'pat@acme.com'))
  await make('people', 'Pia', works('Acme', 'CTO', 'pia@mail.com'), ann)
  await make('people', 'Pim', works('Bolt', 'CEO', 'pim@mail.com'), gone)
  await make('people', 'Pug', works('Dead', 'CEO', 'pug@dead.com'))
  await make('people', 'Gone', works('Core', 'CEO', 'gone@core.com'))
  const deal = (company: string, contact: string, stage: string, amount: number) => ({
    company_id: idOf(company),
    contact_id: idOf(contact),
    custom_fields: { stage, amount },
  })
  await make('opportunities', 'Won', deal('Acme', 'Pat', 'Closed Won', 100))
  await make('opportunities', 'Lost', deal('Acme', 'Pia', 'Closed Lost', 900))
  await make('opportunities', 'Open', deal('Bolt', 'Pug', 'Prospecting', 500))
  await make('opportunities', 'Loose', {})
  for (const [type, name] of [
    ['tasks', 'Task'],
    ['notes', 'Note'],
  ] as const) {
    await make(type, `${name} A`, { company_ids: [idOf('Acme')], opportunity_ids: [idOf('Won'), idOf('Open')] })
    await make(type, `${name} B`, { company_ids: [idOf('Bolt'), idOf('Dead')], people_ids: [idOf('Pim'), idOf('Pia')] })
    await make(type, `${name} C`, { company_ids: [idOf('Dead')], people_ids: [idOf('Gone')] })
    await make(type, `${name} D`)
  }
  await workspace.api.delete(`/companies/${idOf('Dead')}`)
  await workspace.api.delete(`/people/${idOf('Gone')}`)
  await workspace.remove(gone)
})

const ask = (type: BuiltInName, filter: object) => found(workspace.api, type, filter)
const job = (title: string) => ({ custom_fields: { job_title: { $eq: title } } })
const ceo = job('CEO')
const cto = job('CTO')

describe('relation filters may nest conditions that use the names of the related record type', () => {
  const cases: [string, BuiltInName, () => object, string[]][] = [
    ['a native name', 'companies', () => ({ people: { name: { $contains: 'pi' } } }), ['Acme', 'Bolt']],
    ['a custom field', 'companies', () => ({ people: ceo }), ['Acme', 'Bolt']],
    [
      'a choice',
      'companies',
      () => ({ opportunities: { custom_fields: { stage: { $in: ['closed won'] } } } }),
      ['Acme'],
    ],
    ['a number', 'companies', () => ({ opportunities: { custom_fields: { amount: { $gt: 400 } } } }), ['Acme', 'Bolt']],
    ['a to-one relation', 'people', () => ({ company: { custom_fields: { icp: { $eq: true } } } }), ['Pat', 'Pia']],
    ['a false toggle', 'people', () => ({ company: { custom_fields: { icp: { $eq: false } } } }), ['Pim']],
    [
      'an empty field',
      'companies',
      () => ({ people: { custom_fields: { linkedin: { $is_empty: true } } } }),
      ['Acme', 'Bolt'],
    ],
    ['another name', 'opportunities', () => ({ contact: { name: { $eq: 'Pat' } } }), ['Won']],
    ['a deleted company', 'people', () => ({ company: { name: { $eq: 'Dead' } } }), []],
    ['a deleted person', 'companies', () => ({ people: { name: { $eq: 'Gone' } } }), []],
    ['several companies', 'tasks', () => ({ companies: { name: { $eq: 'Bolt' } } }), ['Task B']],
    ['several people', 'notes', () => ({ people: cto }), ['Note B']],
    ['several opportunities', 'tasks', () => ({ opportunities: { name: { $eq: 'Open' } } }), ['Task A']],
    ['a deleted one of several', 'tasks', () => ({ companies: { name: { $eq: 'Dead' } } }), []],
    [
      'a domain',
      'notes',
      () => ({ companies: { custom_fields: { domains: { $has_any: ['www.acme.com'] } } } }),
      ['Note A'],
    ],
    ['a time', 'tasks', () => ({ companies: { created_at: { $lt: '2020-01-01' } } }), []],
  ]
  it.each(cases)('%s, of %s', async (_what, type, filter, expected) => {
    expect(await ask(type, filter())).toEqual(expected)
  })

  const second: [string, BuiltInName, () => object, string[]][] = [
    [
      'to one, to many',
      'people',
      () => ({ company: { opportunities: { custom_fields: { amount: { $eq: 900 } } } } }),
      ['Pat', 'Pia'],
    ],
    ['to many, to one', 'companies', () => ({ opportunities: { contact: cto } }), ['Acme']],
    ['there and back', 'companies', () => ({ people: { company: { $is_empty: true } } }), []],
    [
      'to one, to one',
      'opportunities',
      () => ({ contact: { company: { custom_fields: { icp: { $eq: true } } } } }),
      ['Lost', 'Won'],
    ],
    ['through a deleted company', 'opportunities', () => ({ contact: { company: { name: { $eq: 'Dead' } } } }), []],
    ['whose company is deleted', 'opportunities', () => ({ contact: { company: { $is_empty: true } } }), ['Open']],
    [
      'linked, to many',
      'tasks',
      () => ({ companies: { people: { custom_fields: { emails: { domain: { $in: ['mail.com'] } } } } } }),
      ['Task A', 'Task B'],
    ],
    ['linked, to one', 'notes', () => ({ opportunities: { contact: ceo } }), ['Note A']],
    ['back to itself', 'people', () => ({ company: { people: cto } }), ['Pat', 'Pia']],
    ['a member', 'notes', () => ({ companies: { accountOwner: { $in: [ann.id] } } }), ['Note A']],
    ['a member of the related', 'companies', () => ({ people: { creator: { $in: [ann.id] } } }), ['Acme']],
    ['a member who left', 'companies', () => ({ people: { creator: { $is_empty: true } } }), ['Bolt']],
    ['ids', 'tasks', () => ({ companies: { people: { $in: [idOf('Pim'), idOf('Gone')] } } }), ['Task B']],
    ['no link', 'tasks', () => ({ companies: { opportunities: { $is_empty: true } } }), []],
    ['not those ids', 'people', () => ({ company: { people: { $not_in: [idOf('Pat')] } } }), ['Pim']],
  ]
  it.each(second)('two levels: %s, of %s', async (_what, type, filter, expected) => {
    expect(await ask(type, filter())).toEqual(expected)
  })

  it('also in a query string', async () => {
    const query = 'filter[companies][people][custom_fields][emails][domain][$in]=mail.com,core.com'
    expect(await foundInAddress(workspace.api, 'tasks', query)).toEqual(['Task A', 'Task B'])
    const either = 'filter[people][$or][0][name][$eq]=Pim&filter[people][$or][1][custom_fields][job_title][$eq]=CTO'
    expect(await foundInAddress(workspace.api, 'companies', either)).toEqual(['Acme', 'Bolt'])
  })

  it('and no others: a name, a code or an operator of another type is 422 at its path', async () => {
    const nested = {
      people: { title: { $eq: 'x' }, custom_fields: { icp: { $eq: true } }, accountOwner: { $in: [ann.id] } },
    }
    const errors = await refused(workspace.api, 'companies', nested)
    expect(Object.keys(errors)).toEqual([
      'filter.people.title',
      'filter.people.custom_fields.icp',
      'filter.people.accountOwner',
    ])
    expect(errors['filter.people.title']?.[0]).toContain('Accepted: id, name, created_at')
    expect(errors['filter.people.custom_fields.icp']?.[0]).toContain('emails, phone_number, job_title, linkedin')
  })
})

describe('a to-many node means: some related record meets all of its conditions together', () => {
  it('keys, logic and $in included', async () => {
    const pat = { name: { $eq: 'Pat' } }
    expect(await ask('companies', { people: { ...pat, ...cto } })).toEqual([])
    expect(await ask('companies', { people: { ...pat, ...ceo } })).toEqual(['Acme'])
    expect(await ask('companies', { people: { $and: [pat, cto] } })).toEqual([])
    expect(await ask('companies', { $and: [{ people: pat }, { people: cto }] })).toEqual(['Acme'])
    expect(await ask('companies', { people: { $in: [idOf('Pat')], ...cto } })).toEqual([])
    expect(await ask('companies', { people: { $in: [idOf('Pia'), idOf('Pim')], ...cto } })).toEqual(['Acme'])
    expect(await ask('companies', { people: { $or: [pat, { name: { $eq: 'Pim' } }], ...ceo } })).toEqual([
      'Acme',
      'Bolt',
    ])
    const both = { custom_fields: { stage: { $eq: 'Closed Won' }, amount: { $gt: 400 } } }
    expect(await ask('companies', { opportunities: both })).toEqual([])
    expect(
      await ask('tasks', { companies: { name: { $eq: 'Acme' }, custom_fields: { icp: { $eq: false } } } }),
    ).toEqual([])
  })

  it('$not_in and $is_empty speak of the link as a whole', async () => {
    expect(await ask('companies', { people: { $not_in: [idOf('Pat')], ...cto } })).toEqual([])
    expect(await ask('companies', { people: { $not_in: [idOf('Pat')], ...ceo } })).toEqual(['Bolt'])
    expect(await ask('companies', { people: { $is_empty: true, ...ceo } })).toEqual([])
    expect(await ask('companies', { people: { $is_empty: false, ...ceo } })).toEqual(['Acme', 'Bolt'])
  })

  it('$not inside a relation node negates the condition of the related record; one without it does not match', async () => {
    expect(await ask('companies', { people: { $not: ceo } })).toEqual(['Acme'])
    expect(await ask('companies', { people: { $not: { custom_fields: { linkedin: { $is_empty: true } } } } })).toEqual(
      [],
    )
    expect(await ask('people', { company: { $not: { custom_fields: { icp: { $eq: true } } } } })).toEqual(['Pim'])
    expect(await ask('tasks', { companies: { $not: { name: { $eq: 'Acme' } } } })).toEqual(['Task B'])
    expect(await ask('opportunities', { contact: { $not: { company: { name: { $eq: 'Acme' } } } } })).toEqual(['Open'])
  })

  it('$not outside a relation node also returns those without the relation', async () => {
    expect(await ask('companies', { $not: { people: ceo } })).toEqual(['Core'])
    expect(await ask('companies', { $not: { people: cto } })).toEqual(['Bolt', 'Core'])
    expect(await ask('companies', { $not: { people: { $not: ceo } } })).toEqual(['Bolt', 'Core'])
    expect(await ask('people', { $not: { company: { custom_fields: { icp: { $eq: true } } } } })).toEqual([
      'Pim',
      'Pug',
    ])
    expect(await ask('tasks', { $not: { companies: { name: { $eq: 'Acme' } } } })).toEqual([
      'Task B',
      'Task C',
      'Task D',
    ])
    expect(await ask('companies', { $not: { people: { $is_empty: true } } })).toEqual(['Acme', 'Bolt'])
    expect(await ask('companies', { $not: { people: { $not_in: [idOf('Pat')] } } })).toEqual(['Acme'])
  })
})
