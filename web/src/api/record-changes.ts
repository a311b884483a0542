import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from './call.ts'
import { type Patch, patchRecord, type RecordInput } from './patch-record.ts'
import { type RecordDocument, recordsKey, refreshRecords } from './records.ts'
import { useSlug } from './workspace.ts'

/**
 * Changes a record at once on the screen and then in the service. A failure puts everything back as it was and is
 * passed to the caller, which shows it next to the value.
 */
export function useRecordUpdate(resource: ResourceName) {
  const slug = useSlug()
  const queries = useQueryClient()
  const key = recordsKey(slug, resource)
  return useMutation({
    mutationFn: ({ id, input, version }: Change) =>
      call<RecordDocument>('PATCH', `/w/${slug}/v1/${resource}/${id}`, { body: input, version }),
    onMutate: async ({ id, shown, relationships, included }) => {
      await queries.cancelQueries({ queryKey: key })
      const before = queries.getQueriesData({ queryKey: key })
      patchRecord(queries, key, { id, shown, relationships, included })
      return { before }
    },
    onError: (_error, _change, kept) => {
      for (const [queryKey, known] of kept?.before ?? []) queries.setQueryData(queryKey, known)
    },
    onSuccess: ({ data }, { id }) => patchRecord(queries, key, { id, shown: data.attributes }),
    onSettled: () => refreshRecords(queries, slug, resource),
  })
}

/** What is sent, and what the screen shows until the service has answered: the record as it will be read. */
type Change = Patch & {
  input: RecordInput
  /** The `updated_at` of the record that the user saw. If it was changed since, the change is refused. */
  version?: string
}

export function useRecordCreate(resource: ResourceName) {
  const slug = useSlug()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: RecordInput) => call<RecordDocument>('POST', `/w/${slug}/v1/${resource}`, { body: input }),
    onSuccess: () => refreshRecords(queries, slug, resource),
  })
}
