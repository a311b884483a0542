/**
 * Mirrors a Kith workspace into PostgreSQL, for reports and dashboards in SQL.
 *
 *   KITH_URL=http://localhost:3000 KITH_TOKEN=kith_… DATABASE_URL=postgres://… node mirror.ts
 *
 * It runs until it is stopped, and continues where it stopped. The schema `kith` has the table `records` with every
 * record as JSON, and a view for each resource with a typed column for each attribute and custom field:
 *
 *   select stage, sum(amount) from kith.opportunities group by stage;
 *
 * The views change with the fields of the workspace. `links` joins tasks and notes to their records.
 */
import { type Client, createClient, type SchemaObject } from '@kith/sdk'
import pg from 'pg'

type Record = { type: string; id: string }
type Field = SchemaObject['attributes']['custom_fields'][string]
type Options = { schema?: string; once?: boolean; signal?: AbortSignal }

/** Keeps the tables equal to the workspace. With `once` it ends when everything is read. */
export async function mirrorInto(kith: Client, db: pg.ClientBase, options: Options = {}): Promise<void> {
  const { schema: name = 'kith', once = false, signal } = options
  const schema = db.escapeIdentifier(name)
  await db.query(`
    create schema if not exists ${schema};
    create table if not exists ${schema}.records
      (type text, id text, record jsonb not null, primary key (type, id));
    create table if not exists ${schema}.position (cursor text not null);`)
  const { rows } = await db.query(`select cursor from ${schema}.position`)
  /** The entries of a response: the last state of each record, null for one that is gone. */
  const page = new Map<string, Record & { record: Record | null }>()
  const note = ({ type, id }: Record, record: Record | null) => page.set(`${type} ${id}`, { type, id, record })
  let redefined = rows.length === 0
  const returned = new Set<string>()
  await kith.mirror({
    cursor: rows[0]?.cursor,
    once,
    ...(signal && { signal }),
    held: () => heldIn(db, schema),
    put(record, entry) {
      note(record, record)
      if (record.type !== 'custom_fields') return
      redefined = true
      // Records that changed while the field was archived came without its values.
      if (entry.attributes.kind === 'restored') returned.add(record.attributes.entity_type)
    },
    remove(gone) {
      note(gone, null)
      redefined ||= gone.type === 'custom_fields'
    },
    async save(cursor) {
      for (const resource of returned) for await (const record of kith.resource(resource).export()) note(record, record)
      await db.query('begin')
      await store(db, schema, [...page.values()])
      if (redefined) for (const one of (await kith.schema.list()).data) await db.query(viewOf(one, schema))
      await db.query(`delete from ${schema}.position`)
      await db.query(`insert into ${schema}.position values ($1)`, [cursor])
      await db.query('commit')
      page.clear()
      returned.clear()
      redefined = false
    },
  })
}

async function* heldIn(db: pg.ClientBase, schema: string) {
  yield* (await db.query(`select type, id from ${schema}.records`)).rows
}

async function store(
  db: pg.ClientBase,
  schema: string,
  changes: readonly (Record & { record: unknown })[],
): Promise<void> {
  await db.query(
    `with changes as (select * from unnest($1::text[], $2::text[], $3::jsonb[]) as c (type, id, record)),
      gone as (delete from ${schema}.records r using changes c
        where r.type = c.type and r.id = c.id and c.record = 'null')
    insert into ${schema}.records select * from changes where record <> 'null'
    on conflict (type, id) do update set record = excluded.record`,
    [changes.map(({ type }) => type), changes.map(({ id }) => id), changes.map(({ record }) => JSON.stringify(record))],
  )
}

/** The statements that make the view of a resource. */
function viewOf({ id: resource, attributes: { attributes, custom_fields } }: SchemaObject, schema: string): string {
  const columns = new Map<string, string>()
  for (const [name, { type, readable }] of Object.entries(attributes)) {
    if (readable && name !== 'id')
      columns.set(name, typed(`r.record #> '{attributes,${name}}'`, NATIVE[type] ?? 'text'))
  }
  for (const [code, field] of Object.entries(custom_fields)) {
    const value = `r.record #> '{attributes,custom_fields,${code}}'`
    columns.set(columns.has(code) ? `custom_${code}` : code, customColumn(value, field, schema))
  }
  const list = [...columns].map(([name, expression]) => `${expression} as "${name}"`).join(',\n  ')
  return `
    drop view if exists ${schema}.${resource};
    create view ${schema}.${resource} as select r.id, ${list} from ${schema}.records r where r.type = '${resource}';
    create or replace view ${schema}.links as
      select r.type as from_type, r.id as from_id, named.key as relation, one ->> 'type' as to_type, one ->> 'id' as to_id
      from ${schema}.records r, jsonb_each(r.record -> 'relationships') named, jsonb_array_elements(named.value -> 'data') one;`
}

const NATIVE: { [type: string]: string } = { time: 'timestamptz', external_ids: 'jsonb' }
const SINGLE: { [type: string]: string } = {
  ...{ number: 'numeric', currency: 'numeric', date: 'date', 'date-time': 'timestamptz' },
  ...{ checkbox: 'boolean', toggle: 'boolean' },
}

/** JSON as a value of a type. */
function typed(json: string, type: string): string {
  return type === 'jsonb' ? json : `(${json} #>> '{}')::${type}`
}

/** Options show their label of today: records do not change when an option is renamed. */
function customColumn(value: string, { id, type, options }: Field, schema: string): string {
  const label = (option: string) => `(select o ->> 'label' from ${schema}.records d,
    jsonb_array_elements(d.record #> '{attributes,options}') o
    where d.type = 'custom_fields' and d.id = '${id}' and o ->> 'id' = ${option} ->> 'id')`
  const isList = ['checkbox-list', 'multi-select', 'tags-input', 'email', 'phone', 'link', 'domain'].includes(type)
  const isChoice = options.length > 0
  if (isList && isChoice) return `array(select ${label('one')} from jsonb_array_elements(${value}) one)`
  if (isList) return `array(select jsonb_array_elements_text(${value}))`
  return isChoice ? label(`(${value})`) : typed(value, SINGLE[type] ?? 'text')
}

if (import.meta.main) {
  process.on('uncaughtException', ({ message }) => {
    console.error(message)
    process.exit(1)
  })
  const { KITH_URL = 'http://localhost:3000', KITH_TOKEN, DATABASE_URL } = process.env
  if (!KITH_TOKEN || !DATABASE_URL) throw new Error('KITH_TOKEN or DATABASE_URL is missing.')
  const db = new pg.Client({ connectionString: DATABASE_URL })
  await db.connect()
  await mirrorInto(createClient({ url: KITH_URL, token: KITH_TOKEN }), db)
}
