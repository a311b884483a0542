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
  // A filter must be evaluated first.
  if (!('ids' in records)) return [program]
  const operations = records.ids.slice(0, BATCH_MAX).map((id) => ({ ...operationOf(action), id }))
  const body = JSON.stringify({ operations }, null, 2)
  const curl = lines(`curl ${quoted(address)}`, BEARER, ACCEPT, JSON_BODY, `-d ${quoted(body)}`)
  return [{ id: 'curl', label: 'curl', code: curl }, { id: 'body', label: 'Body for /batch', code: body }, program]
}

function operationOf(action: BulkAction): object {
  if (action.kind === 'delete') return { op: 'delete' }
  return { op: 'update', data: dataOf(action.attribute, writtenValue(action)) }
}

/** Lists are edited, so that items which others add at the same time stay. */
function writtenValue({ op, value }: Extract<BulkAction, { kind: 'edit' }>): unknown {
  if (op === 'set' || op === 'clear') return op === 'clear' ? null : value
  return { [`$${op}`]: Array.isArray(value) ? value : [value] }
}

function dataOf(attribute: string, value: unknown): object {
  if (!attribute.startsWith(CUSTOM)) return { [attribute]: value }
  return { custom_fields: { [attribute.slice(CUSTOM.length)]: value } }
}

/** Reads the records and sends batches of up to 1,000 operations. */
function programOf(api: string, address: string, { resource, action, records }: BulkChange): string {
  const ids = 'ids' in records ? records.ids : []
  const filter = 'ids' in records ? { id: { $in: ids.slice(0, FILTER_IDS_MAX) } } : records.filter
  const query = literal({ ...(filter && { filter }) })
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
  operations.push(${operationCode(action)})
  if (operations.length === ${BATCH_MAX}) await send(operations.splice(0))
}
if (operations.length > 0) await send(operations)`
}

function operationCode(action: BulkAction): string {
  if (action.kind === 'delete') return `{ op: 'delete', id: record.id }`
  return `{ op: 'update', id: record.id, data: ${literal(dataOf(action.attribute, writtenValue(action)))} }`
}
