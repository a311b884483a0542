import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { ApiRecord, IncludedObject, RecordPage } from './records.ts'

type ColumnPages = InfiniteData<RecordPage, number>

/** A column of a board: the records that have an option of a field, or none. Its query carries this as `meta`. */
export type ColumnMark = { code: string; option: string | null }

/** Puts the card of a record that was stored into its column, and takes it out of the others. */
export function patchColumns(queries: QueryClient, key: readonly unknown[], stored: ApiRecord): void {
  const columns = queries.getQueryCache().findAll({ queryKey: [...key, 'column'] })
  const card = cardIn(columns, stored.id)
  if (!card) return
  const record = { ...card.record, attributes: { ...card.record.attributes, ...stored.attributes } }
  for (const { queryKey, meta } of columns) {
    queries.setQueryData<ColumnPages>(queryKey, (known) => {
      if (!known) return known
      if (!isIn(record, meta)) return without(known, record.id)
      return has(known, record.id) ? replaced(known, record) : withCard(known, { ...card, record })
    })
  }
}

type Card = { record: ApiRecord; included: readonly IncludedObject[] }

/** A card as some column of a board has it. */
export function cardIn(columns: readonly Query[], id: string): Card | undefined {
  for (const { state, meta } of columns) {
    if (!markIn(meta)) continue
    // Only the queries of columns have such a mark.
    for (const { data, included = [] } of (state.data as ColumnPages | undefined)?.pages ?? []) {
      const record = data.find((one) => one.id === id)
      if (record) return { record, included }
    }
  }
  return undefined
}

function markIn(meta: Query['meta']): ColumnMark | undefined {
  // The queries of columns set it.
  return meta?.column as ColumnMark | undefined
}

function isIn({ attributes }: ApiRecord, meta: Query['meta']): boolean {
  const mark = markIn(meta)
  const value = mark && attributes.custom_fields[mark.code]
  const option = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return mark !== undefined && option === mark.option
}

function has({ pages }: ColumnPages, id: string): boolean {
  return pages.some(({ data }) => data.some((record) => record.id === id))
}

function replaced({ pages, ...rest }: ColumnPages, record: ApiRecord): ColumnPages {
  const inPage = (data: ApiRecord[]) => data.map((one) => (one.id === record.id ? record : one))
  return { ...rest, pages: pages.map((page) => ({ ...page, data: inPage(page.data) })) }
}

function without({ pages, ...rest }: ColumnPages, id: string): ColumnPages {
  return { ...rest, pages: pages.map((page) => ({ ...page, data: page.data.filter((record) => record.id !== id) })) }
}

/** On top, where it is seen. The next answer puts it where the sort wants it. */
function withCard({ pages: [first, ...others], ...rest }: ColumnPages, { record, included }: Card): ColumnPages {
  if (!first) return { ...rest, pages: [] }
  const top = { ...first, data: [record, ...first.data], included: [...(first.included ?? []), ...included] }
  return { ...rest, pages: [top, ...others] }
}
