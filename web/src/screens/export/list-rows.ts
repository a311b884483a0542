import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import { attributesOf, type ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { call } from '../../api/call.ts'
import type { RecordPage } from '../../api/records.ts'
import { includedIn } from '../../properties/related.ts'
import type { Column } from '../records/columns.ts'
import { includedFields, type ListQuery } from '../records/list-query.ts'
import { type Cell, cellOf } from './cells.ts'

/** A list to be read to its end. */
export type ExportedList = {
  slug: string
  resource: ResourceName
  query: ListQuery
  columns: readonly Column[]
  signal: AbortSignal
  /** Called with the number of records so far. */
  onProgress(done: number): void
}

const PAGE = 100
/** A page of records with long texts must fit into one response. */
const PAGE_OF_LONG = 10

/** The rows of a list in its order, page by page, so that a file of any length is written while it is read. */
export async function* listRows(list: ExportedList): AsyncGenerator<Cell[]> {
  // Pages by number can repeat a record that moved meanwhile.
  const seen = new Set<string>()
  for await (const page of pagesOf(list)) {
    const included = includedIn(page)
    for (const record of page.data) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      yield list.columns.map(({ property }) => cellOf(property, { record, included }))
    }
    list.onProgress(seen.size)
  }
}

type Walked = Omit<RecordPage, 'meta'> & { meta: { next_cursor?: string | null; last_page?: number } }

/** By cursor, which neither misses nor repeats a record. Only an order by a custom field needs pages by number. */
async function* pagesOf(list: ExportedList): AsyncGenerator<Walked> {
  const { resource, query, columns } = list
  const per_page = columns.some(isLong) ? PAGE_OF_LONG : PAGE
  const body = { per_page, ...query, fields: { ...includedFields(resource, columns), [resource]: ownFields(list) } }
  const native = attributesOf(registry[resource], 'text', 'time')
  const keys = (query.sort ?? '').split(',').filter(Boolean)
  if (keys.every((key) => native.includes(key.replace(/^-/, '')))) {
    for (let cursor: string | null = 'true'; cursor !== null; ) {
      const page: Walked = await load(list, { ...body, cursor })
      yield page
      cursor = page.meta.next_cursor ?? null
    }
    return
  }
  for (let page = 1, last = 1; page <= last; page++) {
    const loaded = await load(list, { ...body, page })
    yield loaded
    last = loaded.meta.last_page ?? 1
  }
}

function isLong({ property }: Column): boolean {
  return property.kind === 'custom' && fieldTypes[property.field.type].multiline !== undefined
}

/** Only what the columns show. Related records come with `include`. */
function ownFields({ columns }: ExportedList): string {
  const names = columns.flatMap(({ property }) => {
    if (property.kind === 'count') return [property.attribute]
    return ['reference', 'links', 'creator', 'related'].includes(property.kind) ? [] : [property.key]
  })
  return names.join(',')
}

const TRIES = 5
const PASSING = ['rate_limited', 'busy', 'unreachable']

/** A long export is not lost because the service is busy or the network is away for a moment. */
async function load({ slug, resource, signal }: ExportedList, body: object): Promise<Walked> {
  for (let tries = 1; ; tries++) {
    try {
      return await call<Walked>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    } catch (error) {
      const isPassing = error instanceof KithError && PASSING.includes(error.kind)
      if (!isPassing || tries === TRIES || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, (error.retry_after ?? tries) * 1000))
      signal.throwIfAborted()
    }
  }
}
