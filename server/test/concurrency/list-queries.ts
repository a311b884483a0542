import { labelOf, type Shown } from './history.ts'
import type { RandomRun, RunType } from './world.ts'

export type Included = ReadonlyMap<string, Shown>

/** A list, and what must be true of each of its rows. */
export type ListQuery = {
  name: string
  type: RunType
  asks: Readonly<Record<string, unknown>>
  /** Whether every record of the type belongs to it. */
  whole?: boolean
  /** Whether the attributes of a row meet the filter. */
  matches?(row: Shown): boolean
  /** Whether what comes along with a row meets the filter, and is as many as the row counts. */
  agrees?(row: Shown, included: Included): boolean
}

/** A few lists, so that each is asked for often. */
export function listQueries({ hubs }: Pick<RandomRun, 'hubs'>): readonly ListQuery[] {
  const [hub = ''] = hubs
  return [
    { name: 'companies', type: 'companies', asks: {}, whole: true },
    { name: 'companies by change', type: 'companies', asks: { sort: '-updated_at' }, whole: true },
    {
      name: 'companies with people',
      type: 'companies',
      whole: true,
      asks: { include: 'people,peopleCount' },
      agrees: (row) => row.attributes.people_count === relatedTo(row, 'people').length,
    },
    {
      name: 'companies with 1 in the name',
      type: 'companies',
      asks: { filter: { name: { $contains: '1' } } },
      matches: (row) => labelOf(row).includes('1'),
    },
    {
      name: 'companies with 3 in the code',
      type: 'companies',
      asks: { filter: { custom_fields: { code: { $contains: '3' } } } },
      matches: ({ attributes }) => String(attributes.custom_fields.code).includes('3'),
    },
    {
      name: 'companies with one of two domains',
      type: 'companies',
      asks: { filter: { custom_fields: { domains: { $has_any: ['d1.example', 'd2.example'] } } } },
      matches: ({ attributes }) =>
        domainsOf(attributes).some((domain) => domain === 'd1.example' || domain === 'd2.example'),
    },
    {
      name: 'companies with external ids',
      type: 'companies',
      asks: { filter: { external_ids: { crm: { $is_empty: false } } }, include: 'externalIds' },
      matches: ({ attributes }) => externalIdsOf(attributes).length > 0,
    },
    {
      name: 'companies without a tier',
      type: 'companies',
      asks: { filter: { custom_fields: { tier: { $is_empty: true } } } },
      matches: ({ attributes }) => attributes.custom_fields.tier === null,
    },
    {
      name: 'people with their companies',
      type: 'people',
      whole: true,
      asks: { include: 'company' },
    },
    {
      name: 'people of the hub',
      type: 'people',
      asks: { filter: { company: { $in: [hub] } }, include: 'company' },
      matches: ({ attributes }) => attributes.company_id === hub,
    },
    {
      name: 'people of a company with 1 in its name',
      type: 'people',
      asks: { filter: { company: { name: { $contains: '1' } } }, include: 'company' },
      agrees: ({ attributes }, included) => labelIn(included, attributes.company_id).includes('1'),
    },
    {
      name: 'people without a company',
      type: 'people',
      asks: { filter: { company: { $is_empty: true } } },
      matches: ({ attributes }) => attributes.company_id === null,
    },
    {
      name: 'tasks with their companies',
      type: 'tasks',
      whole: true,
      asks: { include: 'companies,companiesCount' },
      agrees: (row) => row.attributes.companies_count === relatedTo(row, 'companies').length,
    },
    {
      name: 'tasks about the hub',
      type: 'tasks',
      asks: { filter: { companies: { $in: [hub] } }, include: 'companies' },
      agrees: (row) => relatedTo(row, 'companies').includes(hub),
    },
  ]
}

/** The ids in a relationship. */
export function relatedTo(row: Shown, name: string): string[] {
  return [row.relationships?.[name]?.data ?? []].flat().map(({ id }) => id)
}

export function domainsOf(attributes: Shown['attributes']): string[] {
  // A field of domains holds a list of texts.
  return (attributes.custom_fields.domains ?? []) as string[]
}

export function externalIdsOf(attributes: Shown['attributes']): string[] {
  // Shown if they are included.
  const { crm = [] } = (attributes.external_ids ?? {}) as Record<string, string[]>
  return crm
}

function labelIn(included: Included, id: unknown): string {
  const found = included.get(String(id))
  return found ? labelOf(found) : ''
}
