import { ME } from '@kith/contract/relative/resolve-filter'
import { type RelatedType, resourceIn } from '@kith/contract/resource'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { useMembers } from '../../../api/members.ts'
import { nameOf, type RecordDocument, recordsKey } from '../../../api/records.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'

/** The names behind ids, which is all that an address has. */
export function useNames(to: RelatedType, ids: readonly string[]): string[] {
  const slug = useSlug()
  const members = useMembers()
  const schema = useSchema()
  const documents = useQueries({
    queries: (to === 'users' ? [] : ids).map((id) => ({
      queryKey: [...recordsKey(slug, to === 'users' ? 'people' : to), 'name', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordDocument>('GET', `/w/${slug}/v1/${to}/${id}?fields=${resourceIn(schema, to).label}`, { signal }),
      staleTime: 60_000,
    })),
  })
  if (to === 'users')
    return ids.map((id) => members.find((member) => member.id === id)?.name ?? (id === ME ? 'Me' : id))
  return ids.map((id, place) => {
    const document = documents[place]?.data
    return document ? nameOf(document.data) : id
  })
}
