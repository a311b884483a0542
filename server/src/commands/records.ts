import { readFile } from 'node:fs/promises'
import { fieldTypes } from '@kith/contract/field-types'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { Client, CreateInput, FieldTypes, ResourceSchema, UpdateInput, UpsertInput } from '@kith/sdk'
import { type Answer, BadUsage, type Context, defineCommand, inputText, textIn } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { filterIn, printList, printTable } from './table.ts'

const PER_PAGE = 100
const LIMIT = 30

const resource = {
  value: 'RESOURCE',
  about: 'The code of a resource, such as companies.',
  required: true,
  operand: true,
} as const

const id = { value: 'ID', about: 'The ID of the record.', required: true, operand: true } as const

const ids = {
  ...id,
  about: 'IDs of records. - reads them from standard input, one on each line.',
  repeats: true,
} as const

const fields = { value: 'NAMES', about: 'Only these attributes, joined by commas.' } as const

const written = {
  set: {
    value: 'KEY=VALUE',
    about:
      'An attribute, or a custom field by its code. KEY= clears, KEY:=JSON is taken as it is, and lists repeat KEY.',
    operand: true,
    repeats: true,
  },
  data: { value: 'FILE', about: 'A JSON object with the attributes; - for standard input.' },
} as const

const get = defineCommand({
  about: 'Show records.',
  options: { resource, id: ids, fields, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const found: ShownRecord[] = []
      for (const one of await idsIn(values.id, context)) {
        found.push((await client.resource(values.resource).read(one, fieldsIn(values.fields))).data)
      }
      const text = found.map((record) => printRecord(record, columnsOf([record], values.fields))).join('\n\n')
      return { text, json: found.length === 1 ? found[0] : found }
    }),
})

const list = defineCommand({
  about: 'List records.',
  options: {
    resource,
    filter: {
      value: 'JSON',
      about: 'Only records that meet this filter, written as in a query; - for standard input.',
    },
    sort: { value: 'NAMES', about: 'The order, such as -updated_at or custom_fields.amount,name.' },
    limit: { value: 'N', about: `At most so many records. Default: ${LIMIT}.` },
    all: { about: 'All records.' },
    fields,
    ...remoteOptions,
  },
  async run(values, context) {
    if (values.all && values.limit !== undefined) throw new BadUsage('Use --limit or --all, not both.')
    const limit = values.all ? Number.POSITIVE_INFINITY : limitIn(values.limit)
    const filter = values.filter === undefined ? undefined : filterIn(await textIn(values.filter, context))
    const query = { filter, sort: values.sort?.split(','), ...fieldsIn(values.fields) }
    const { found, total } = await withClient(values, context, (client) =>
      readList(client, { resource: values.resource, query, limit }),
    )
    if (found.length < total)
      context.tell(`${found.length} of ${total} ${values.resource}. --limit or --all shows more.`)
    const columns = columnsOf(found, values.fields)
    const rows = found.map((record) => rowOf(record, columns))
    return { text: printList(columns.map(headerOf), rows, context.columns), json: found }
  },
})

const create = defineCommand({
  about: 'Create a record.',
  options: { resource, ...written, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const input = await inputFor(client, values, context)
      // The service checks it.
      const { data } = await client.resource(values.resource).create(input as CreateInput<FieldTypes, string>)
      return answerOf('Created', data)
    }),
})

const update = defineCommand({
  about: 'Update a record. What is not given stays.',
  options: { resource, id, ...written, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const input = await inputFor(client, values, context)
      // As above.
      const { data } = await client
        .resource(values.resource)
        .update(values.id, input as UpdateInput<FieldTypes, string>)
      return answerOf('Updated', data)
    }),
})

const upsert = defineCommand({
  about: 'Update the record that holds a value, or create it.',
  options: {
    resource,
    match: {
      value: 'FIELD=VALUE',
      about: 'The value: of a unique field by its code, or of external_ids.NAMESPACE.',
      required: true,
    },
    ...written,
    ...remoteOptions,
  },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const input = { ...(await inputFor(client, values, context)), match: matchIn(values.match) }
      const records = client.resource(values.resource)
      // As above.
      const { data, created } = await records.upsert(input as UpsertInput<FieldTypes, string>)
      return answerOf(created ? 'Created' : 'Updated', data)
    }),
})

const remove = defineCommand({
  about: 'Delete records. They are in the trash for 30 days.',
  options: { resource, id: ids, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const deleted = await idsIn(values.id, context)
      for (const one of deleted) await client.resource(values.resource).delete(one)
      const text = deleted.map((one) => `Deleted ${values.resource} ${one}.`).join('\n')
      return { text, json: { deleted } }
    }),
})

export { create, get, list, remove as delete, update, upsert }

async function readList(
  client: Client,
  { resource, query, limit }: { resource: string; query: object; limit: number },
): Promise<{ found: ShownRecord[]; total: number }> {
  const records = client.resource(resource)
  const { data, meta } = await records.list({ ...query, per_page: Math.min(limit, PER_PAGE) })
  const found: ShownRecord[] = data
  if (found.length >= Math.min(limit, meta.total)) return { found, total: meta.total }
  const scanned: ShownRecord[] = []
  for await (const record of records.all({ ...query, per_page: PER_PAGE })) {
    scanned.push(record)
    if (scanned.length === limit) break
  }
  return { found: scanned, total: limit === Number.POSITIVE_INFINITY ? scanned.length : meta.total }
}

function answerOf(done: string, record: ShownRecord): Answer {
  const { name, title } = record.attributes
  return { text: `${done} ${record.type} ${record.id} (${name ?? title}).`, json: record }
}

function fieldsIn(names: string | undefined): { fields?: readonly 'name'[] } {
  // The service checks the names.
  return names === undefined ? {} : { fields: names.split(',') as 'name'[] }
}

async function idsIn(given: readonly string[], context: Context): Promise<string[]> {
  const read = given.includes('-') ? (await textIn('-', context)).split('\n') : []
  const all = given.flatMap((one) => (one === '-' ? read : [one])).map((one) => one.trim())
  const named = all.filter((one) => one !== '')
  if (named.length === 0) throw new BadUsage('Standard input has no IDs.')
  return named
}

function limitIn(text: string | undefined): number {
  if (text === undefined) return LIMIT
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new BadUsage(`--limit must be a whole number from 1, not ${text}.`)
}

function headerOf(column: string): string {
  return column.replace(/^custom_fields\./, '')
}

/** A record of any resource, as the client shows it. */
type ShownRecord = { id: string; type: string; attributes: object & { name?: unknown; title?: unknown } }

/** The columns of records: those that were asked for, or the label, the custom fields and then the others. */
function columnsOf(records: readonly ShownRecord[], fields: string | undefined): string[] {
  if (fields !== undefined) return ['id', ...fields.split(',')]
  const [record] = records
  if (record === undefined) return ['id']
  const { custom_fields, ...native }: Record<string, unknown> = { ...record.attributes }
  const [label = 'name', ...others] = Object.keys(native).sort((a, b) => Number(isLabel(b)) - Number(isLabel(a)))
  const codes = Object.keys(isObject(custom_fields) ? custom_fields : {})
  return ['id', label, ...codes.map((code) => `custom_fields.${code}`), ...others]
}

function isLabel(name: string): boolean {
  return name === 'name' || name === 'title'
}

/** The texts of a record's values. */
function rowOf(record: ShownRecord, columns: readonly string[]): string[] {
  const attributes: Record<string, unknown> = { ...record.attributes }
  return columns.map((column) => {
    if (column === 'id') return record.id
    const [name = '', code] = column.split('.', 2)
    const value = attributes[name]
    return textOf(code === undefined ? value : isObject(value) ? value[code] : undefined)
  })
}

/** One record, with a line for each value. */
function printRecord(record: ShownRecord, columns: readonly string[]): string {
  const row = rowOf(record, columns)
  const lines = columns.map((column, index) => [column.replace(/^custom_fields\./, ''), row[index] ?? ''])
  return printTable(
    ['name', 'value'],
    lines.filter(([, text]) => text !== ''),
  )
}

/** Options by their labels, references by their IDs. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (!isObject(value)) return String(value)
  if (typeof value.label === 'string') return value.label
  return typeof value.id === 'string' ? value.id : JSON.stringify(value)
}

type Written = { resource: string; set: readonly string[] | undefined; data: string | undefined }

/** The attributes of a write, from `--data` and from pairs, which win. */
async function inputFor(client: Client, given: Written, context: Context): Promise<object> {
  const { resource, set = [], data } = given
  if (set.length === 0 && data === undefined) throw new BadUsage('Give the attributes as KEY=VALUE, or with --data.')
  const input = data === undefined ? {} : objectIn(await fileText(data, context))
  if (set.length === 0) return input
  const { attributes: schema } = (await client.schema.read(resource)).data
  return withPairs(input, set.map(pairIn), schema)
}

async function fileText(file: string, context: Context): Promise<string> {
  return file === '-' ? inputText(context) : readFile(file, 'utf8')
}

/** `domains=acme.com` as the match of an upsert. */
function matchIn(text: string): { field: string; value: string } {
  const at = text.indexOf('=')
  if (at > 0 && at < text.length - 1) return { field: text.slice(0, at), value: text.slice(at + 1) }
  throw new BadUsage(`--match must be a field and a value such as domains=acme.com, not ${text}.`)
}

function objectIn(text: string): Record<string, unknown> {
  const data = parseJson(text)
  if (isObject(data)) return data
  throw new BadUsage('--data must be a JSON object such as {"name": "Acme"}. For many records use kith import.')
}

type Pair = { key: string; value: string } | { key: string; json: unknown }

function pairIn(text: string): Pair {
  const [, key, isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? []
  if (key === undefined) throw new BadUsage(`${text} must be written KEY=VALUE, such as name=Acme.`)
  if (!isJson) return { key, value }
  const json = parseJson(value)
  if (json === undefined) throw new BadUsage(`The value of ${key} must be JSON, not ${value}.`)
  return { key, json }
}

function withPairs(input: Record<string, unknown>, pairs: readonly Pair[], schema: ResourceSchema): object {
  const built = structuredClone(input)
  const begun = new Set<string>()
  for (const pair of pairs) {
    const place = placeOf(pair.key, schema)
    const path = place.path.join('.')
    const value = 'json' in pair ? pair.json : valueFor(pair.value, place)
    const parent = place.path.slice(0, -1).reduce<Record<string, unknown>>((node, name) => childOf(node, name), built)
    const last = place.path.at(-1) ?? ''
    // A repeated key is a list; the first one replaces what --data has.
    parent[last] = begun.has(path) ? [parent[last], value].flat() : value
    begun.add(path)
  }
  return built
}

function childOf(node: Record<string, unknown>, name: string): Record<string, unknown> {
  const child = Object.hasOwn(node, name) ? node[name] : undefined
  const own = isObject(child) ? child : {}
  node[name] = own
  return own
}

type Place = {
  path: string[]
  /** The unique field by which a reference names its record. */
  by?: string
  /** Whether the reference is one to members, who are named by their email address. */
  isMember?: boolean
  isList?: boolean
  isFlag?: boolean
}

/** `stage` is `custom_fields.stage`, and `company_id.domains` names the company by its domain, as in imports. */
function placeOf(key: string, { attributes, custom_fields }: ResourceSchema): Place {
  const names = key.split('.')
  const [first = '', ...rest] = names
  const native = Object.hasOwn(attributes, first) ? attributes[first] : undefined
  const isReference = native?.type === 'reference' || native?.type === 'references'
  if (native && isReference) {
    return { path: [first], ...byOf(rest), isList: native.type === 'references', isMember: native.to === 'users' }
  }
  const [code = '', ...inside] = first === 'custom_fields' ? rest : names
  const field = !native && Object.hasOwn(custom_fields, code) ? custom_fields[code] : undefined
  if (field === undefined) return { path: names }
  const { kind } = fieldTypes[field.type]
  return {
    path: ['custom_fields', code],
    ...byOf(inside),
    isList: kind === 'Choices' || (kind === 'Reference' && field.multiple),
    isFlag: kind === 'Boolean',
    isMember: field.type === 'member',
  }
}

function byOf(names: readonly string[]): { by?: string } {
  return names.length === 0 ? {} : { by: names.join('.') }
}

function valueFor(text: string, { by, isList, isFlag, isMember }: Place): unknown {
  if (text === '') return null
  const named = isMember && by === 'email' ? { email: text } : { match: { field: by, value: text } }
  const value = by === undefined ? text : named
  if (isFlag && (text === 'true' || text === 'false')) return text === 'true'
  return isList ? [value] : value
}
