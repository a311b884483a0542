import { beforeAll, describe, expect, it } from 'vitest'
import { loadSample } from '../../../src/sample/load.ts'
import { createField } from '../../../src/schema/define.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

type Shown = {
  id: string
  attributes: Record<string, string> & {
    // biome-ignore lint/suspicious/noExplicitAny: each test knows the values of its fields
    custom_fields: Record<string, any>
  }
  relationships?: Record<string, { data: { id: string } | null | { id: string }[] }>
}

const sizes = { companies: 40, people: 120, opportunities: 100, tasks: 100, notes: 60 }
let workspace: TestWorkspace
const all: Record<string, Shown[]> = {}
const today = new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  workspace = await newWorkspace()
  const scope = await workspace.scope()
  await createField(scope, 'companies', { name: 'Employees', type: 'number' })
  await createField(scope, 'people', { name: 'Visit', type: 'date-time' })
  await loadSample(await workspace.scope(), { sizes, seed: 1 })
  for (const [type, include] of [
    ['companies', ''],
    ['people', '&include=company'],
    ['opportunities', '&include=company,contact'],
    ['tasks', '&include=companies,people,opportunities'],
    ['notes', '&include=companies,people,opportunities'],
  ] as const) {
    const pages = await Promise.all(
      [1, 2].map((page) => workspace.api.get(`/${type}?per_page=100&page=${page}${include}`)),
    )
    all[type] = pages.flatMap(({ body }) => body.data)
  }
})

const of = (type: string) => all[type] ?? []
const byId = (type: string, id: string | undefined) => of(type).find((record) => record.id === id)

/** The records of a relation. */
function related(record: Shown, name: string, type = name): Shown[] {
  const data = record.relationships?.[name]?.data ?? []
  return [data].flat().flatMap(({ id }) => byId(type, id) ?? [])
}

const companyOf = (record: Shown) => related(record, 'company', 'companies')[0]
const contactOf = (record: Shown) => related(record, 'contact', 'people')[0]
const valuesOf = (record: Shown) => record.attributes.custom_fields
const createdOf = (record: Shown) => record.attributes.created_at ?? ''

function isWorkingTime(time: string): boolean {
  const at = new Date(time)
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60
  return at.getUTCDay() > 0 && at.getUTCDay() < 6 && hour >= 8 && hour < 17
}

describe('kith sample: records that belong together', () => {
  it('companies have different names and domains', () => {
    const names = of('companies').map(({ attributes }) => attributes.name)
    expect(new Set(names).size).toBe(sizes.companies)
    const domains = of('companies').flatMap((company) => valuesOf(company).domains)
    expect(new Set(domains).size).toBe(sizes.companies)
  })

  it("people's addresses have the domain of their company, and no two are the same", () => {
    const employed = of('people').filter(companyOf)
    expect(employed.length).toBeGreaterThan(sizes.people / 2)
    for (const person of employed) {
      const domain = valuesOf(companyOf(person) as Shown).domains[0]
      expect(valuesOf(person).emails[0].split('@')[1]).toBe(domain)
    }
    expect(new Set(of('people').flatMap((person) => valuesOf(person).emails)).size).toBe(sizes.people)
    const heads = employed.filter((person) => /Officer|Founder|Owner|Director$/.test(valuesOf(person).job_title))
    const positions = heads.map((person) => `${companyOf(person)?.id} ${valuesOf(person).job_title}`)
    expect(new Set(positions).size, 'one of each per company').toBe(heads.length)
  })

  it('a deal belongs to the company it names, and its contact works there', () => {
    for (const deal of of('opportunities')) {
      const company = companyOf(deal)
      expect(deal.attributes.name).toMatch(new RegExp(`^${company?.attributes.name}: `))
      const contact = contactOf(deal)
      if (contact) expect(companyOf(contact)?.id).toBe(company?.id)
    }
    expect(of('opportunities').filter(contactOf).length).toBeGreaterThan(sizes.opportunities / 4)
  })

  it('amounts fit the size of the company', () => {
    for (const deal of of('opportunities')) {
      const company = companyOf(deal) as Shown
      const { employees } = valuesOf(company)
      const { amount } = valuesOf(deal)
      if (employees) expect(amount).toBeLessThanOrEqual(1500 + employees * 75 + 2500)
      expect(amount).toBeGreaterThanOrEqual(500)
      expect(amount % 100).toBe(0)
    }
  })

  it('closed deals have close dates in the past, open ones in the future or the last days', () => {
    const outcomes = of('opportunities').map((deal) => {
      const { stage, close_date } = valuesOf(deal)
      const isClosed = stage.label.startsWith('Closed')
      if (isClosed) expect(close_date < today).toBe(true)
      else expect(Date.parse(close_date)).toBeGreaterThan(Date.parse(today) - 12 * 86_400_000)
      expect(close_date > createdOf(deal).slice(0, 10)).toBe(true)
      return isClosed ? stage.label : 'open'
    })
    expect(new Set(outcomes)).toEqual(new Set(['Closed Won', 'Closed Lost', 'open']))
  })

  it('tasks mention the person they link to, and link to that person’s company', () => {
    const about = of('tasks').flatMap((task) => related(task, 'people').map((person) => [task, person] as const))
    expect(about.length).toBeGreaterThan(sizes.tasks / 2)
    for (const [task, person] of about) {
      expect(task.attributes.title).toContain(person.attributes.name)
      expect(related(task, 'companies')[0]?.id).toBe(companyOf(person)?.id)
      for (const deal of related(task, 'opportunities')) expect(contactOf(deal)?.id).toBe(person.id)
    }
  })

  it('tasks are due on working days, and done ones were due in the past', () => {
    for (const task of of('tasks')) {
      const { status, due_date } = valuesOf(task)
      expect(isWorkingTime(due_date)).toBe(true)
      expect(due_date > createdOf(task)).toBe(true)
      if (status.label === 'Done') expect(due_date < today).toBe(true)
    }
    expect(new Set(of('tasks').map((task) => valuesOf(task).status.label)).size).toBe(3)
  })

  it('notes tell what happened to the records they link to', () => {
    const about = of('notes').filter((note) => related(note, 'companies').length > 0)
    expect(about.length).toBeGreaterThan(sizes.notes / 2)
    for (const note of about) {
      const [company] = related(note, 'companies')
      expect(note.attributes.title).toContain(company?.attributes.name)
      for (const person of related(note, 'people')) expect(valuesOf(note).body).toContain(person.attributes.name)
      for (const deal of related(note, 'opportunities')) {
        expect(companyOf(deal)?.id).toBe(company?.id)
        expect(valuesOf(note).body).toContain(deal.attributes.name?.split(': ')[1])
      }
    }
  })

  it('records come after those they refer to; times are in working hours of the past', () => {
    for (const record of Object.values(all).flat()) {
      const { created_at = '', updated_at = '' } = record.attributes
      expect(isWorkingTime(created_at)).toBe(true)
      expect(isWorkingTime(updated_at)).toBe(true)
      expect(created_at <= updated_at && updated_at < today).toBe(true)
      const named = ['companies', 'people', 'opportunities'].flatMap((name) => related(record, name))
      for (const earlier of [companyOf(record), contactOf(record), ...named]) {
        if (earlier) expect(createdOf(earlier) <= created_at).toBe(true)
      }
    }
    const changed = Object.values(all)
      .flat()
      .filter(({ attributes }) => attributes.updated_at !== attributes.created_at)
    expect(changed.length).toBeGreaterThan(50)
    for (const person of of('people'))
      if (valuesOf(person).visit) expect(isWorkingTime(valuesOf(person).visit)).toBe(true)
  })

  it('a second load has other companies, and unique values stay unique', async () => {
    await loadSample(await workspace.scope(), { sizes: { companies: 50, people: 60 }, seed: 2 })
    for (const [type, code, total] of [
      ['companies', 'domains', 90],
      ['people', 'emails', 180],
    ] as const) {
      const pages = await Promise.all([1, 2].map((page) => workspace.api.get(`/${type}?per_page=100&page=${page}`)))
      const values = pages.flatMap(({ body }) => body.data).flatMap((record: Shown) => valuesOf(record)[code])
      expect([type, new Set(values).size]).toEqual([type, total])
    }
  })
})
