import { registry } from '@kith/contract/registry'
import { type BuiltInName, includeNames, resourceNames } from '@kith/contract/resource'
import type { Tool } from '../../src/mcp/tool.ts'
import { tools } from '../../src/mcp/tools.ts'
import type { Chance } from '../../src/sample/chance.ts'
import { codeOf } from '../derived/full-records.ts'
import { valueTypeNames } from '../field-samples.ts'
import type { World } from './fuzzed-world.ts'
import { nastyJson, nastyName, nastyText } from './nasty.ts'
import { recordBody } from './random-body.ts'
import { randomFilter } from './random-filter.ts'

/** One message for the MCP server as JSON text: a call most of the time, nearly right most of the time. */
export function randomMessage(chance: Chance, world: World): string {
  if (chance.oneIn(20)) return batch(chance, world)
  const kind = chance.below(10)
  if (kind <= 6) return envelope(chance, 'tools/call', toolCall(chance, world))
  if (kind <= 8) return envelope(chance, ...otherMethod(chance))
  return envelope(chance, chance.oneIn(2) ? nastyText(chance) : chance.pick(METHODS), nastyJson(chance))
}

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'logging/setLevel',
  'completion/complete',
  'tasks/get',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'sampling/createMessage',
  'roots/list',
]

/** Several at once, which the protocol has taken back. */
function batch(chance: Chance, world: World): string {
  const messages = Array.from({ length: chance.below(4) }, () =>
    envelope(chance, 'tools/call', toolCall(chance, world)),
  )
  return `${chance.pick([' ', '', '\n\t'])}[${messages.join(',')}]`
}

function envelope(chance: Chance, method: string, params: string): string {
  const pairs = [
    `"jsonrpc":${chance.oneIn(20) ? nastyJson(chance) : '"2.0"'}`,
    `"method":${chance.oneIn(30) ? nastyJson(chance) : JSON.stringify(method)}`,
    ...(chance.oneIn(20) ? [] : [`"params":${params}`]),
    // Without an id it is a notification, to which there is no answer.
    ...(chance.oneIn(10) ? [] : [`"id":${chance.oneIn(25) ? nastyJson(chance) : chance.below(1000)}`]),
  ]
  if (chance.oneIn(15)) pairs.push(`${JSON.stringify(nastyName(chance))}:${nastyJson(chance)}`)
  if (chance.oneIn(20)) pairs.push(chance.pick(pairs))
  return `{${pairs.join(',')}}`
}

function otherMethod(chance: Chance): [method: string, params: string] {
  const info = { name: 'fuzz', version: '1' }
  const protocolVersion = chance.pick(['2025-06-18', '2025-03-26', '1999-01-01', ''])
  return chance.pick<[string, string]>([
    ['initialize', JSON.stringify({ protocolVersion, capabilities: {}, clientInfo: info })],
    ['tools/list', chance.oneIn(2) ? '{}' : `{"cursor":${nastyJson(chance)}}`],
    ['resources/read', `{"uri":${address(chance)}}`],
    ['prompts/get', `{"name":${chance.oneIn(3) ? nastyJson(chance) : '"overview"'},"arguments":${focus(chance)}}`],
    ['resources/list', '{}'],
    ['prompts/list', '{}'],
    ['ping', '{}'],
    ['notifications/cancelled', `{"requestId":${nastyJson(chance)}}`],
    ['notifications/initialized', '{}'],
  ])
}

function address(chance: Chance): string {
  if (chance.oneIn(3)) return nastyJson(chance)
  return JSON.stringify(
    chance.pick(['kith://workspace', `kith://schema/${chance.pick(resourceNames)}`, 'kith://', 'x']),
  )
}

function focus(chance: Chance): string {
  return chance.oneIn(3) ? nastyJson(chance) : `{"focus":${JSON.stringify(nastyText(chance).toWellFormed())}}`
}

function toolCall(chance: Chance, world: World): string {
  const tool = chance.pick(tools)
  const name = chance.oneIn(25) ? nastyJson(chance) : JSON.stringify(tool.name)
  if (chance.oneIn(15)) return `{"name":${name},"arguments":${nastyJson(chance)}}`
  return `{"name":${name},"arguments":{${toolArguments(chance, world, tool).join(',')}}}`
}

/** Those that are required and some of the others. What takes things away gets what is there only now and then. */
function toolArguments(chance: Chance, world: World, tool: Tool): string[] {
  const resource = chance.pick(resourceNames)
  const { properties, required } = tool.input
  const spared = SPARING.has(tool.name) && !chance.oneIn(60)
  const pairs = Object.keys(properties)
    .filter((key) => (required.includes(key) ? !chance.oneIn(25) : chance.oneIn(3)))
    .map((key) => {
      const good = spared && NEEDED.has(key) ? nastyJson(chance) : goodArgument(chance, world, { key, resource, tool })
      return `"${key}":${chance.oneIn(10) ? nastyJson(chance) : good}`
    })
  if (chance.oneIn(10)) pairs.push(`${JSON.stringify(nastyName(chance))}:${nastyJson(chance)}`)
  if (chance.oneIn(20)) pairs.push(...pairs.slice(0, 1))
  return pairs
}

/** Soon there would be nothing left, or far more fields than any workspace has. */
const SPARING = new Set(['delete_record', 'merge_records', 'create_field'])
const NEEDED = new Set(['id', 'winner_id', 'loser_ids', 'name'])

type Asked = { key: string; resource: BuiltInName; tool: Tool }

function goodArgument(chance: Chance, world: World, { key, resource, tool }: Asked): string {
  const own = world.ids[resource] ?? ''
  const anId = () => chance.pick([own, own, own, ...world.foreign, own.toUpperCase()])
  const code = () => codeOf(chance.pick(valueTypeNames))
  const json = (value: unknown) => JSON.stringify(value)
  switch (key) {
    case 'resource':
      return json(resource)
    case 'id':
      return json(tool.name === 'fetch' ? `${resource}/${anId()}` : anId())
    case 'winner_id':
      return json(anId())
    case 'loser_ids':
      return json([chance.pick(Object.values(world.ids)), anId()])
    case 'attributes':
      return recordBody(chance, world, resource, '')
    case 'filter':
      return randomFilter(chance, world, resource, 0)
    case 'match':
      return json({ field: chance.pick(['domains', 'emails', code()]), value: nastyText(chance) })
    case 'sort':
      return json(chance.pick(['name', '-created_at', code(), `custom_fields.${code()}`]))
    case 'include':
      return json(chance.oneIn(2) ? includeNames(registry[resource]) : chance.pick(includeNames(registry[resource])))
    case 'fields':
      return json(chance.pick([['name'], 'title', { people: ['name'] }, { __proto__x: [] }]))
    case 'cursor':
      return json(chance.pick([true, 'true', 'e30', 'x']))
    case 'measure':
      return json(chance.pick(['count', 'sum', 'average', 'min', 'max', 'x']))
    case 'field':
    case 'group_by':
      return json(chance.pick([code(), `custom_fields.${code()}`, 'company', 'account_owner', 'created_at', 'month']))
    case 'type':
      return json(chance.pick(valueTypeNames))
    case 'code':
      return json(chance.pick([code(), `new_${chance.below(1000)}`, 'name', '__proto__']))
    case 'options':
    case 'add_options':
      return json(chance.pick([['A', 'B'], [{ label: 'A' }], [{ label: 'A', color: 'red' }], ['A', 'a'], []]))
    case 'remove_options':
    case 'rename_options':
      return json(chance.pick([['Yes'], [{ from: 'One', to: 'Two' }], [{ id: 'x', label: 'Two' }], []]))
    case 'settings':
      return json(chance.pick([{}, { currency: 'EUR' }, { max_length: 5 }, { __proto__: 1 }]))
    case 'page':
    case 'per_page':
    case 'limit':
    case 'position':
    case 'max_values':
      return json(chance.pick([1, 5, 100, 0, -1, 1e9, '2', 1.5]))
    case 'required':
    case 'unique':
    case 'multiple':
      return json(chance.oneIn(2))
    default:
      return json(chance.oneIn(2) ? `Fuzz ${chance.below(1000)}` : nastyText(chance))
  }
}
