import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Draft } from '../../api/drafts.ts'
import type { Field } from '../../api/fields.ts'
import { cardIn } from '../../api/patch-columns.ts'
import { type RecordDocument, recordsKey } from '../../api/records.ts'
import { choiceIn } from '../../fields/values.ts'
import { includedIn } from '../../properties/related.ts'
import type { Column } from '../records/columns.ts'
import type { ListQuery } from '../records/list-query.ts'
import { Card } from './card.tsx'
import type { BoardColumn } from './columns.ts'

type Props = {
  drafts: readonly Draft[]
  field: Field
  column: BoardColumn
  query: ListQuery
  cardColumns: readonly Column[]
  movable: boolean
}

/** The cards that were moved to a column and that the service does not have there yet. */
export function MovedCards({ drafts, field, column, ...shown }: Props) {
  return drafts
    .filter((draft) => draft.state !== 'conflict' && targetOf(draft, field) === column.option?.id)
    .map((draft) => <MovedCard key={draft.id} draft={draft} {...shown} />)
}

/** The option that a draft gives to its record. */
function targetOf({ change }: Draft, { code }: Field): string | undefined {
  return choiceIn(change.shown.custom_fields?.[code])?.id
}

type CardProps = Pick<Props, 'query' | 'cardColumns' | 'movable'> & { draft: Draft }

function MovedCard({ draft, query: { include }, cardColumns, movable }: CardProps) {
  const queries = useQueryClient()
  const { slug, resource, id } = draft
  const key = recordsKey(slug, resource)
  const { data } = useQuery({
    queryKey: [...key, 'card', id, include],
    queryFn: ({ signal }) => {
      const asked = include === undefined ? '' : `?include=${include}`
      return call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}${asked}`, { signal })
    },
    // The column that it comes from has it, except after a reload.
    initialData: () => {
      const known = cardIn(queries.getQueryCache().findAll({ queryKey: [...key, 'column'] }), id)
      return known && { data: known.record, included: [...known.included] }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return null
  const shown = { columns: cardColumns, draft, movable }
  return <Card record={data.data} included={includedIn(data)} {...shown} />
}
