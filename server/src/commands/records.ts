import type { Client, CreateInput, FieldTypes, UpdateInput, UpsertInput } from '@kith/sdk'
import { type Answer, BadUsage, type Context, defineCommand, textIn } from './command.ts'
import { inputFor, matchIn } from './record-input.ts'
import { columnsOf, printRecord, rowOf, type ShownRecord } from './record-table.ts'
import { remoteOptions, withClient } from './remote.ts'
import { filterIn, printList } from './table.ts'

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
