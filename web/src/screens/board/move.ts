import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Field } from '../../api/fields.ts'
import { type ApiRecord, nameOf, type RecordDocument, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { showToast } from '../../components/toast-store.ts'
import type { ColumnPages } from './column-records.ts'
import type { BoardColumn } from './columns.ts'

type Move = { record: ApiRecord; to: BoardColumn }

/** Moves a card to another column at once, and back if the service refuses. */
export function useMove(resource: ResourceName, field: Field) {
  const slug = useSlug()
  const queries = useQueryClient()
  const key = recordsKey(slug, resource)
  const columns = { queryKey: [...key, 'column'] }
  return useMutation({
    mutationFn: ({ record, to }: Move) =>
      call<RecordDocument>('PATCH', `/w/${slug}/v1/${resource}/${record.id}`, {
        body: { custom_fields: { [field.code]: to.option?.id ?? null } },
      }),
    onMutate: async ({ record, to }) => {
      await queries.cancelQueries(columns)
      const before = queries.getQueriesData<ColumnPages>(columns)
      for (const [queryKey, pages] of before) {
        const isTarget = queryKey[key.length + 1] === to.id
        if (pages)
          queries.setQueryData(
            queryKey,
            isTarget ? withCard(pages, moved(record, field, to)) : without(pages, record.id),
          )
      }
      return { before }
    },
    onError: (error, { record }, kept) => {
      for (const [queryKey, pages] of kept?.before ?? []) queries.setQueryData(queryKey, pages)
      showToast({ tone: 'danger', message: `${nameOf(record)} stays where it was: ${error.message}` })
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: key })
      await queries.invalidateQueries({ queryKey: [slug, 'summaries'] })
    },
  })
}

function moved(record: ApiRecord, field: Field, { option }: BoardColumn): ApiRecord {
  const custom_fields = { ...record.attributes.custom_fields, [field.code]: option }
  return { ...record, attributes: { ...record.attributes, custom_fields } }
}

function without({ pages, ...rest }: ColumnPages, id: string): ColumnPages {
  return { ...rest, pages: pages.map((page) => ({ ...page, data: page.data.filter((record) => record.id !== id) })) }
}

/** On top, where it is seen; the next answer puts it where the sort wants it. */
function withCard(column: ColumnPages, card: ApiRecord): ColumnPages {
  const { pages, ...rest } = without(column, card.id)
  return { ...rest, pages: pages.map((page, index) => (index === 0 ? { ...page, data: [card, ...page.data] } : page)) }
}
