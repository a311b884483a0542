/**
 * An action node in the form of n8n, for the records of a Kith workspace. Its resources are loaded from the workspace,
 * those that it has made too.
 *
 * The types below are the parts of `n8n-workflow` that the nodes use. `build.ts` makes the package that n8n installs.
 */
import { type Client, type CreateInput, createClient, type FieldTypes, type UpsertInput } from '@kith/sdk'

type Item = { json: object; pairedItem?: number }
export type Option = { name: string; value: string }
export type LoadContext = { getCredentials(type: 'kithApi'): Promise<{ url: string; token: string }> }
type RunContext = LoadContext & {
  getInputData(): Item[]
  getNodeParameter(name: string, item: number, fallback?: unknown): unknown
  /** Whether a failed item is an output instead of the end of the workflow. */
  continueOnFail(): boolean
}

const operations = [
  'create',
  'get',
  'list',
  'search',
  'update',
  'upsert',
  'delete',
  'restore',
  'comment',
  'history',
] as const
type Operation = (typeof operations)[number]
const ofOneRecord: readonly Operation[] = ['get', 'update', 'delete', 'restore', 'comment', 'history']

export class Kith {
  description = {
    displayName: 'Kith',
    name: 'kith',
    group: ['transform'],
    version: 1,
    description: 'Works with the records of a Kith workspace',
    defaults: { name: 'Kith' },
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'kithApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        default: 'companies',
        typeOptions: { loadOptionsMethod: 'resources' },
      },
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        default: 'create',
        options: operations.map((value): Option => ({ name: value, value })),
      },
      parameter('ID', 'id', { type: 'string', default: '' }, ofOneRecord),
      parameter('Comment', 'body', { type: 'string', default: '' }, ['comment']),
      parameter('Query', 'query', { type: 'string', default: '' }, ['search']),
      parameter('Attributes', 'attributes', { type: 'json', default: '{"name": ""}' }, ['create', 'update', 'upsert']),
      parameter('Match field', 'matchField', { type: 'string', default: 'domains' }, ['upsert']),
      parameter('Match value', 'matchValue', { type: 'string', default: '' }, ['upsert']),
      parameter('Filter', 'filter', { type: 'json', default: '{}' }, ['list']),
      parameter('Limit', 'limit', { type: 'number', default: 50 }, ['list', 'search', 'history']),
    ],
  }

  methods = {
    loadOptions: {
      async resources(this: LoadContext): Promise<Option[]> {
        const { data } = await (await clientOf(this)).schema.list()
        return data.map(({ id, attributes }) => ({ name: attributes.name, value: id }))
      },
    },
  }

  async execute(this: RunContext): Promise<Item[][]> {
    const kith = await clientOf(this)
    const output: Item[] = []
    for (const pairedItem of this.getInputData().keys()) {
      try {
        for (const json of await carryOut(kith, this, pairedItem)) output.push({ json, pairedItem })
      } catch (error) {
        if (!this.continueOnFail() || !(error instanceof Error)) throw error
        output.push({ json: { error: error.message }, pairedItem })
      }
    }
    return [output]
  }
}

function parameter(displayName: string, name: string, more: object, of: readonly Operation[]): object {
  return { displayName, name, ...more, displayOptions: { show: { operation: of } } }
}

/** The outputs for one item. The service checks what people have typed. */
async function carryOut(kith: Client, context: RunContext, item: number): Promise<object[]> {
  const text = (name: string) => String(context.getNodeParameter(name, item, ''))
  const records = kith.resource(text('resource'))
  const input = () =>
    objectIn('Attributes', context.getNodeParameter('attributes', item)) as CreateInput<FieldTypes, string>
  const limit = Number(context.getNodeParameter('limit', item, 50))
  const page = { per_page: Math.min(Math.max(limit, 1), 100) }
  const operation = operations.find((one) => one === text('operation'))
  switch (operation) {
    case 'create':
      return [(await records.create(input())).data]
    case 'get':
      return [(await records.read(text('id'))).data]
    case 'update':
      return [(await records.update(text('id'), input())).data]
    case 'upsert': {
      const match = { field: text('matchField'), value: text('matchValue') }
      const { data, created } = await records.upsert({ ...input(), match } as UpsertInput<FieldTypes, string>)
      return [{ ...data, created }]
    }
    case 'delete':
      await records.delete(text('id'))
      return [{ id: text('id'), deleted: true }]
    case 'restore':
      return [(await records.restore(text('id'))).data]
    case 'comment':
      return [(await records.comments(text('id')).add(text('body'))).data]
    case 'history':
      return atMost(limit, records.history(text('id')))
    case 'search':
      return [...(await kith.search(text('query'), { resource: text('resource'), ...page })).data]
    case 'list': {
      const filter = objectIn('Filter', context.getNodeParameter('filter', item, {}))
      return atMost(limit, records.all({ ...page, ...(Object.keys(filter).length > 0 && { filter }) }))
    }
    default:
      throw new Error(`The operation must be one of ${operations.join(', ')}.`)
  }
}

async function atMost(limit: number, items: AsyncIterable<object>): Promise<object[]> {
  const found: object[] = []
  if (limit < 1) return found
  for await (const item of items) {
    found.push(item)
    if (found.length >= limit) break
  }
  return found
}

/** n8n gives JSON as text, or what an expression made of it. */
function objectIn(name: string, value: unknown): object {
  const parsed: unknown = typeof value === 'string' ? parse(value) : value
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new Error(`${name} must be a JSON object.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function clientOf(context: LoadContext): Promise<Client> {
  return createClient(await context.getCredentials('kithApi'))
}
