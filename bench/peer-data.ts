import { createHash } from 'node:crypto'
import pg from 'pg'

const columns = {
  companies: ['name', 'created_at', 'domain', 'linkedin', 'icp', 'tier', 'employees', 'revenue', 'founded', 'labels'],
  people: [
    'name',
    'created_at',
    'company_id',
    'email',
    'phone_number',
    'job_title',
    'tier',
    'employees',
    'revenue',
    'founded',
  ],
} as const

const types: Readonly<Record<string, string>> = {
  company_id: 'uuid',
  icp: 'boolean',
  employees: 'float',
  revenue: 'float',
  founded: 'date',
}

/** What Directus is asked to make: the two collections and the relation between them. */
export const collections: readonly [path: string, body: object][] = [
  ['/collections', collection('companies')],
  ['/collections', collection('people')],
  ['/relations', { collection: 'people', field: 'company_id', related_collection: 'companies' }],
]

function collection(name: keyof typeof columns): object {
  const id = { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } }
  const fields = columns[name].map((field) => ({ field, type: types[field] ?? 'string', schema: {}, meta: {} }))
  return { collection: name, schema: {}, meta: {}, fields: [id, ...fields] }
}

/** The indexes that somebody who runs Directus would add for these questions. */
const indexes = [
  'create extension if not exists pg_trgm',
  'create index on companies (created_at desc, id)',
  'create index on people (created_at desc, id)',
  'create index on companies (tier, employees)',
  'create index on companies (employees)',
  'create index on people (company_id)',
  'create index on companies using gin (lower(name) gin_trgm_ops)',
  'analyze',
]

type Source = { api: string; token: string }
type Wire = { id: string; attributes: Record<string, unknown> & { custom_fields: Record<string, unknown> } }

/** Walks our own lists and puts every record into the peer's tables. */
export async function copyRecords(source: Source, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  for (const [name, fields] of Object.entries(columns)) {
    const all = ['id', ...fields]
    const rows = `select ${all.join(', ')} from json_populate_recordset(null::${name}, $1)`
    for await (const records of pagesOf(source, name)) {
      const flat = JSON.stringify(records.map(flattened))
      await client.query(`insert into ${name} (${all.join(', ')}) ${rows}`, [flat])
    }
  }
  for (const statement of indexes) await client.query(statement)
  await client.end()
}

async function* pagesOf({ api, token }: Source, resource: string): AsyncGenerator<Wire[]> {
  let cursor: string | null = 'true'
  while (cursor !== null) {
    const headers = { Authorization: `Bearer ${token}` }
    const response = await fetch(`${api}/${resource}?per_page=100&sort=created_at&cursor=${cursor}`, { headers })
    // The shape of a list walked by cursor.
    const page = (await response.json()) as { data: Wire[]; meta: { next_cursor: string | null } }
    yield page.data
    cursor = page.meta.next_cursor
  }
}

/** One plain column for each value: the first of a list, the label of a choice. */
function flattened({ id, attributes: { custom_fields, ...own } }: Wire): object {
  const { domains, emails, ...fields } = custom_fields
  const values = Object.entries({ ...own, ...fields, domain: domains, email: emails })
  const { company_id, ...rest } = Object.fromEntries(values.map(([name, value]) => [name, plain(value)]))
  return { ...rest, id: uuidOf(id), company_id: typeof company_id === 'string' ? uuidOf(company_id) : null }
}

/** The id that stands for one of ours: Directus finds a record only under one of the form that it makes itself. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : String(value[0])
  return typeof value === 'object' && value !== null && 'label' in value ? value.label : value
}
