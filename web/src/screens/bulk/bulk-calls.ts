import type { Resource } from '@kith/contract/resource'
import type { BulkAction, BulkRecords } from '../../api/bulk.ts'
import { ACCEPT, type ApiCall, BEARER, clientOf, clientStart, JSON_BODY, lines } from '../use-in-api/list-calls.ts'
import { literal, quoted } from '../use-in-api/literal.ts'

const BATCH_MAX = 1000
/** How many ids a filter takes. */
const FILTER_IDS_MAX = 100
const CUSTOM = 'custom_fields.'

type BulkChange = { resource: Resource; action: BulkAction; records: BulkRecords }

/** The batches that change the same records in the same way. */
export function bulkCalls(api: string, { resource, action, records }: BulkChange): ApiCall[] {
  const address = `${api}/v1/${resource.type}/batch`
  const program = { id: 'client', label: 'TypeScript', code: programOf(api, address, { resource, action, records }) }
  // A list that grows or shrinks depends on the record, so that the record must be read first.
  if (!('ids' in records) || (action.kind === 'edit' && (action.op === 'add' || action.op === 'remove')))
    return [program]
  const operations = records.ids.slice(0, BATCH_MAX).map((id) => ({ ...operationOf(action), id }))
  const body = JSON.stringify({ operations }, null, 2)
  const curl = lines(`curl ${quoted(address)}`, BEARER, ACCEPT, JSON_BODY, `-d ${quoted(body)}`)
  return [{ id: 'curl', label: 'curl', code: curl }, { id: 'body', label: 'Body for /batch', code: body }, program]
}

function operationOf(action: BulkAction): object {
  if (action.kind === 'delete') return { op: 'delete' }
  return { op: 'update', data: dataOf(action.attribute, action.op === 'clear' ? null : action.value) }
}

function dataOf(attribute: string, value: unknown): object {
  if (!attribute.startsWith(CUSTOM)) return { [attribute]: value }
  return { custom_fields: { [attribute.slice(CUSTOM.length)]: value } }
}

/** Reads the records and sends batches of up to 1,000 operations. */
function programOf(api: string, address: string, { resource, action, records }: BulkChange): string {
  const ids = 'ids' in records ? records.ids : []
  const filter = 'ids' in records ? { id: { $in: ids.slice(0, FILTER_IDS_MAX) } } : records.filter
  const query = literal({ ...(filter && { filter }), ...linksIn(resource, action) })
  const shortened = `// The first ${FILTER_IDS_MAX} of the selected records: a filter takes no more ids.\n`
  const note = ids.length > FILTER_IDS_MAX ? shortened : ''
  return `${clientStart(api)}
const send = async (operations: object[]) => {
  const response = await fetch(${literal(address)}, {
    method: 'POST',
    headers: { Authorization: \`Bearer \${process.env.KITH_TOKEN}\`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ operations }),
  })
  console.log(response.status, await response.json())
}

const operations: object[] = []
${note}for await (const record of ${clientOf(resource.type)}.all(${query === '{}' ? '' : query})) {
  operations.push(${operationCode(resource, action)})
  if (operations.length === ${BATCH_MAX}) await send(operations.splice(0))
}
if (operations.length > 0) await send(operations)`
}

/** Lists of links are shown by include only. */
function linksIn(resource: Resource, action: BulkAction): object {
  const relation = relationOf(resource, action)
  return relation === undefined ? {} : { include: [relation] }
}

function relationOf(resource: Resource, action: BulkAction): string | undefined {
  const isChanged = action.kind === 'edit' && (action.op === 'add' || action.op === 'remove')
  return isChanged ? resource.links[action.attribute]?.relation : undefined
}

function operationCode(resource: Resource, action: BulkAction): string {
  if (action.kind === 'delete') return `{ op: 'delete', id: record.id }`
  const { attribute, op, value } = action
  if (op === 'set' || op === 'clear') {
    return `{ op: 'update', id: record.id, data: ${literal(dataOf(attribute, op === 'clear' ? null : value))} }`
  }
  const relation = relationOf(resource, action)
  const held =
    relation === undefined
      ? `record.attributes.custom_fields.${attribute.slice(CUSTOM.length)}`
      : `record.relationships.${relation}.data.map(({ id }) => id)`
  const items = literal(value)
  const list = op === 'add' ? `[...${held}, ...${items}]` : `${held}.filter(${without(value)})`
  const data = attribute.startsWith(CUSTOM)
    ? `{ custom_fields: { ${attribute.slice(CUSTOM.length)}: ${list} } }`
    : `{ ${attribute}: ${list} }`
  return `{
    op: 'update',
    id: record.id,
    // Refused if another program has changed the record since it was read.
    if_match: record.attributes.updated_at,
    data: ${data},
  }`
}

/** Options are compared by their ids. */
function without(value: unknown): string {
  const items: unknown[] = Array.isArray(value) ? value : []
  const ids = items.flatMap((item) => (typeof item === 'object' && item !== null && 'id' in item ? [item.id] : []))
  return ids.length > 0 ? `({ id }) => !${literal(ids)}.includes(id)` : `(item) => !${literal(items)}.includes(item)`
}
