import { readFile } from 'node:fs/promises'
import { fieldTypes } from '@kith/contract/field-types'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { Client, ResourceSchema } from '@kith/sdk'
import { BadUsage, type Context, inputText } from './command.ts'

type Written = { resource: string; set: readonly string[] | undefined; data: string | undefined }

/** The attributes of a write, from `--data` and from pairs, which win. */
export async function inputFor(client: Client, given: Written, context: Context): Promise<object> {
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
export function matchIn(text: string): { field: string; value: string } {
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
