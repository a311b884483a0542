import { newId } from '@kith/contract/id'
import type { BuiltInName } from '@kith/contract/resource'

/**
 * The indexes that a plan must use (`a|b`: one of them), and those that it may scan for the whole workspace until the
 * page is full.
 */
export type Intended = {
  uses: readonly string[]
  walks?: readonly string[]
  /** Indexes that may be scanned to count a total, if no index has the answer. */
  counts?: readonly string[]
  /** How many rows a page may read: a small multiple of what is shown, or of what a scan must skip. */
  looks?: number
}

export type ListCase = [name: string, type: BuiltInName, asked: object, intended: Intended]

/** A record is found by its number or its id. */
export const RECORD = 'records_pkey|records_id'

const newest = { walks: ['records_created'] }
/** Whether a record has a choice is found among its own values, or among the records with that choice. */
const ONE_CHOICE = 'field_values_pkey|field_values_match'
const probed = [...newest.walks, 'field_values_pkey']
/** The plan counts up to this many matches of a set, and twice as many if the index must be rechecked. */
const WIDTH = 510
/** The plan first counts this many of each set. */
const FEW = 61
/** A scan for one record in a hundred reads some 1,500 records, each in up to three places. */
const PASSED = 7500

export const lists: ListCase[] = [
  ['of 15', 'companies', {}, { uses: [...newest.walks, 'record_counts_pkey'], ...newest }],
  ['of 100', 'companies', { per_page: 100 }, { uses: [...newest.walks, 'record_counts_pkey'], ...newest }],
  ['of people', 'people', {}, { uses: ['records_created', RECORD], walks: ['records_created'], looks: 60 }],
  ['by name', 'companies', { sort: 'name' }, { uses: ['records_named'], walks: ['records_named'] }],
  ['deep in', 'companies', { page: 200 }, { uses: [...newest.walks, RECORD], ...newest, looks: 3100 }],
  ['walked by cursor', 'companies', { cursor: true }, { uses: newest.walks, ...newest }],
  ['by a number', 'companies', { sort: '-score' }, { uses: ['field_values_number', RECORD] }],
  ['by a choice', 'companies', { sort: 'half' }, { uses: ['field_values_match', RECORD] }],
  ['by a text', 'companies', { sort: 'motto' }, { uses: ['field_values_match', RECORD] }],
]

const named = (part: string) => ({ filter: { name: { $contains: part } } })
const custom = (custom_fields: object) => ({ filter: { custom_fields } })
const score = (from: number, to: number) => ({ score: { $gte: from, $lt: to } })
const byCompany = (from: number, to: number) => ({ filter: { company: { custom_fields: score(from, to) } } })
const hundredth = { hundredth: { $eq: 'One in a hundred 7' } }
const searched = ['search_texts_trigrams']
const both = ['field_values_number', 'field_values_match']
/** All are counted, in the order of any index. */
const anyOrder = ['records_named', 'records_created', 'records_updated', 'records_pkey', 'records_id']

const someIds = Array.from({ length: 20 }, () => newId(Date.now()))
const hosts = ['winter-zephyr-1.example', 'b.example']

const heldIds = 'external_ids_held'
const external = (external_ids: object) => ({ filter: { external_ids } })

/** Of one width each; `few` says whether one in a hundred still is few enough to be gathered. */
export function filters(few: boolean): ListCase[] {
  return [
    ...[texts, searches, values, externalIds(few), relations(few), valueReferences(few)].flat(),
    ...linking,
    ...complements,
  ]
}

const texts: ListCase[] = [
  ['name contains, narrow', 'companies', named('winter zephyr'), { uses: searched }],
  ['name contains, 1 in 36', 'companies', named('labs'), { uses: searched, ...newest, looks: 1500 }],
  [
    'name contains, 1 in 4',
    'companies',
    named('er '),
    { uses: [...searched, ...newest.walks], ...newest, looks: 2200 },
  ],
  ['name contains three letters', 'companies', named('zep'), { uses: searched, ...newest, looks: 1500 }],
  [
    'text contains three letters',
    'companies',
    custom({ motto: { $contains: 'zep' } }),
    { uses: searched, ...newest, looks: 2500 },
  ],
]

const searching = (query: string) => ({ filter: { $search: query } })

/** Words are searched like texts. An id of another system is one look-up for each namespace, too. */
const searches: ListCase[] = [
  ['search, narrow', 'companies', searching('zephyr winter'), { uses: searched }],
  ['search, 1 in 36', 'companies', searching('labs'), { uses: searched, ...newest, looks: 2500 }],
  ['search, nothing', 'companies', searching('nowhere'), { uses: searched }],
  ['search, an external id', 'companies', searching('crm-7'), { uses: [...searched, heldIds] }],
]

const values: ListCase[] = [
  [
    'select and range, narrow',
    'companies',
    custom({ half: { $eq: 'Yes' }, ...score(5000, 5020) }),
    { uses: both, looks: WIDTH },
  ],
  [
    'select and range, 1 in 100',
    'companies',
    custom({ half: { $eq: 'Yes' }, ...score(5000, 5200) }),
    { uses: both, looks: 2500 },
  ],
  [
    'select and range, 1 in 2',
    'companies',
    custom({ half: { $in: ['Yes', 'No'] }, ...score(5000, 10_000) }),
    // Two widths at once.
    { uses: probed, ...newest, looks: 2 * (WIDTH + FEW) },
  ],
  [
    'choice and range, 1 in 2',
    'companies',
    custom({ half: { $eq: 'Yes' }, score: { $gte: 5000 } }),
    { uses: both, ...newest, looks: 2 * (WIDTH + FEW) },
  ],
  ['a choice, 1 in 100', 'companies', custom(hundredth), { uses: ['field_values_match'] }],
  [
    'a choice, 1 in 2',
    'companies',
    custom({ half: { $eq: 'Yes' } }),
    { uses: ['field_values_match', RECORD], looks: WIDTH },
  ],
  [
    'a choice, 1 in 2, by name',
    'companies',
    { sort: 'name', ...custom({ half: { $eq: 'Yes' } }) },
    { uses: ['records_named', ONE_CHOICE], walks: ['records_named'], looks: WIDTH },
  ],
  [
    'a choice, 1 in 2, by a number',
    'companies',
    { sort: 'score', ...custom({ half: { $eq: 'Yes' } }) },
    { uses: ['field_values_number', ONE_CHOICE], looks: WIDTH },
  ],
  ['a domain', 'companies', custom({ domains: { $has_any: hosts } }), { uses: ['field_values_match'] }],
  ['a host', 'people', custom({ emails: { domain: { $in: hosts } } }), { uses: ['field_values_host'] }],
]

function externalIds(few: boolean): ListCase[] {
  const both = ['crm-7', 'crm-8', 'none']
  const ofCompany = { company: { external_ids: { crm: { $has_any: both } } } }
  const probedIds = [...newest.walks, 'external_ids_pkey']
  return [
    ['external ids', 'companies', external({ crm: { $has_any: both } }), { uses: [heldIds, RECORD], looks: 30 }],
    [
      'people by external ids of their company',
      'people',
      { filter: ofCompany },
      { uses: [heldIds, 'records_company_id'], looks: 60 },
    ],
    [
      'any external id, 1 in 100',
      'companies',
      external({ rare: { $is_empty: false } }),
      few ? { uses: [heldIds] } : { uses: [heldIds, ...probedIds], ...newest, looks: PASSED },
    ],
    [
      'any external id, all',
      'companies',
      external({ crm: { $is_empty: false } }),
      { uses: probedIds, ...newest, looks: WIDTH },
    ],
    [
      'none of these external ids',
      'companies',
      external({ crm: { $has_none: both } }),
      { uses: [...probedIds, heldIds], ...newest },
    ],
    [
      'no external id',
      'companies',
      external({ rare: { $is_empty: true } }),
      { uses: [...probedIds, heldIds], ...newest },
    ],
  ]
}

/** Many are met along the list; how many they are, no index tells where one record may be related to several. */
function relations(few: boolean): ListCase[] {
  const people = { walks: ['records_created'] }
  const met = ['records_created', RECORD, 'field_values_pkey']
  const gathered = ['field_values_number', 'records_company_id']
  return [
    ['people by their company, narrow', 'people', byCompany(5000, 5010), { uses: gathered }],
    [
      'people by their company, 1 in 100',
      'people',
      byCompany(5000, 5110),
      few ? { uses: gathered } : { uses: met, ...people, looks: PASSED },
    ],
    [
      'people by their company, 1 in 2',
      'people',
      byCompany(5000, 10_000),
      { uses: [...met, 'records_company_id'], ...people, looks: WIDTH },
    ],
    [
      'companies by their people, 1 in 100',
      'companies',
      { filter: { people: { custom_fields: hundredth } } },
      {
        uses: few ? ['field_values_match', RECORD] : [...newest.walks, ONE_CHOICE, 'records_company_id'],
        ...newest,
        counts: ['records_named', 'records_created', 'records_updated', 'records_pkey', 'records_id'],
        looks: PASSED,
      },
    ],
    [
      'tasks by their companies, 1 in 100',
      'tasks',
      { filter: { companies: { custom_fields: hundredth } } },
      {
        uses: few ? ['field_values_match', 'links_to'] : ['records_created', 'links_pkey', ONE_CHOICE],
        walks: ['records_created'],
        counts: ['records_named', 'records_created', 'records_updated', 'records_pkey', 'records_id'],
        looks: PASSED,
      },
    ],
  ]
}

const byFirm = (firm: object) => custom({ firm })

/** References in custom fields, and their inverse. */
function valueReferences(few: boolean): ListCase[] {
  const people = { walks: ['records_created'] }
  const met = ['records_created', RECORD, 'field_values_pkey']
  const gathered = ['field_values_number', 'field_values_match']
  return [
    ['people of some firms', 'people', byFirm({ $in: someIds }), { uses: ['field_values_match'] }],
    [
      'people without a firm',
      'people',
      byFirm({ $is_empty: true }),
      { uses: met, ...people, counts: anyOrder, looks: 2500 },
    ],
    [
      'people by their firm, narrow',
      'people',
      byFirm({ custom_fields: score(5000, 5010) }),
      { uses: [...gathered, RECORD] },
    ],
    [
      'people by their firm, 1 in 100',
      'people',
      byFirm({ custom_fields: score(5000, 5110) }),
      few ? { uses: [...gathered, RECORD] } : { uses: met, ...people, counts: anyOrder, looks: 2 * PASSED },
    ],
    [
      'companies by their staff, 1 in 100',
      'companies',
      { filter: { staff: { custom_fields: hundredth } } },
      {
        uses: few ? ['field_values_match', RECORD] : [...newest.walks, 'field_values_match'],
        ...newest,
        counts: anyOrder,
        looks: 2 * PASSED,
      },
    ],
    ['companies with some staff', 'companies', { filter: { staff: { $in: someIds } } }, { uses: [RECORD] }],
    [
      'companies without staff',
      'companies',
      { filter: { staff: { $is_empty: true } } },
      { uses: [...newest.walks, 'field_values_match'], ...newest, counts: anyOrder, looks: PASSED },
    ],
    [
      'people with their firms',
      'people',
      { include: 'custom_fields.firm' },
      { uses: ['records_created', RECORD, 'field_values_pkey'], ...people },
    ],
    [
      'companies with their staff',
      'companies',
      { include: 'staff,staffCount' },
      { uses: [...newest.walks, 'field_values_match', RECORD], ...newest, looks: 600 },
    ],
  ]
}

const open = { custom_fields: { status: { $in: ['To do', 'In progress'] } } }

/** Tasks of companies. Whether a record has one is found from the record. */
const linking: ListCase[] = [
  [
    'of one choice, without an open task',
    'companies',
    { filter: { custom_fields: hundredth, $not: { tasks: open } } },
    { uses: ['field_values_match', 'links_to'], looks: WIDTH },
  ],
  [
    'of every choice, without an open task',
    'companies',
    { filter: { $not: { tasks: open } } },
    { uses: [...newest.walks, 'links_to'], ...newest, counts: anyOrder },
  ],
  [
    'without tasks',
    'companies',
    { filter: { tasks: { $is_empty: true } } },
    { uses: [...newest.walks, 'links_to'], ...newest, counts: anyOrder },
  ],
  [
    'by the name of a task',
    'companies',
    { filter: { tasks: { title: { $eq: 'Nothing' } } } },
    { uses: ['records_named', 'links_pkey'] },
  ],
  ['by id', 'companies', { filter: { id: { $in: someIds } } }, { uses: [RECORD] }],
]

const references = 'records_company_id'
const owners = 'records_account_owner_id'
const count = { measure: 'count' }
const sum = { measure: 'sum', field: 'revenue' }
const monthly = { period: 'month' }
const weekly = { period: 'week', time_zone: 'Europe/Berlin' }

/** What a summary counts, and the indexes that it reads. It reads no records. */
export const summaries: [
  name: string,
  type: BuiltInName,
  asked: Readonly<Record<string, unknown>>,
  uses: readonly string[],
][] = [
  ['a reference is empty', 'people', { ...count, filter: { company: { $is_empty: true } } }, [references]],
  ['a reference is filled', 'people', { ...count, filter: { company: { $is_empty: false } } }, [references]],
  ['an owner is empty', 'companies', { ...count, filter: { accountOwner: { $is_empty: true } } }, [owners]],
  ['a creator is empty', 'people', { ...count, filter: { creator: { $is_empty: true } } }, ['records_creator']],
  ['an owner is one of these', 'companies', { ...count, filter: { accountOwner: { $in: someIds } } }, [owners]],
  ['by choice', 'companies', { ...count, group_by: ['half'] }, ['field_values_match']],
  ['a sum', 'companies', sum, ['field_values_number']],
  ['by choice, a sum', 'companies', { ...sum, group_by: ['half'] }, ['field_values_match', 'field_values_number']],
  ['by month', 'companies', { ...count, group_by: ['founded'], ...monthly }, ['field_values_match']],
  ['by week of creation', 'people', { ...count, group_by: ['created_at'], ...weekly }, ['records_created']],
  ['by choice and month', 'companies', { ...count, group_by: ['half', 'founded'], ...monthly }, ['field_values_match']],
  ['by reference', 'people', { ...count, group_by: ['company'] }, [references]],
  [
    'by reference and creator',
    'people',
    { ...count, group_by: ['company', 'creator'] },
    [references, 'records_creator'],
  ],
  ['by reference, a sum', 'people', { ...sum, group_by: ['company'] }, [references, 'field_values_number']],
  ['by owner', 'companies', { ...count, group_by: ['accountOwner'] }, [owners]],
  ['by owner, a sum', 'companies', { ...sum, group_by: ['accountOwner'] }, [owners, 'field_values_number']],
  ['by choice of a reference', 'people', { ...count, group_by: ['company.half'] }, [references]],
]

const complements: ListCase[] = [
  [
    'none of these choices, 1 in 2',
    'companies',
    custom({ half: { $not_in: ['Yes'] } }),
    { uses: [...newest.walks, ONE_CHOICE, 'field_values_match'], ...newest },
  ],
  [
    'none of these choices, nearly all',
    'companies',
    custom({ hundredth: { $not_in: ['One in a hundred 7'] } }),
    { uses: [...newest.walks, ONE_CHOICE, 'field_values_match'], ...newest },
  ],
  [
    'none of these tags',
    'companies',
    custom({ labels: { $has_none: ['vip'] } }),
    { uses: [...newest.walks, ONE_CHOICE, 'field_values_match'], ...newest },
  ],
  [
    'empty',
    'companies',
    custom({ motto: { $is_empty: true } }),
    { uses: [...probed, 'field_values_match'], ...newest, looks: 700 },
  ],
]
