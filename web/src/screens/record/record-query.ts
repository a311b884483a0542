import { INCLUDE_EXTERNAL_IDS, type ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type RecordDocument, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { includeOf, useProperties } from '../../properties/property.ts'

/** The includes of a record, so that its page can name everything it shows. */
export function useInclude(resource: ResourceName): string {
  const included = useProperties(resource).map(includeOf)
  return [...included.filter((include) => include !== undefined), INCLUDE_EXTERNAL_IDS].join(',')
}

/** One record with all that its page shows. */
export function useRecord(resource: ResourceName, id: string) {
  const slug = useSlug()
  const include = useInclude(resource)
  return useQuery({
    queryKey: [...recordsKey(slug, resource), 'document', id, include],
    queryFn: ({ signal }) =>
      call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}?include=${include}`, { signal }),
  })
}
