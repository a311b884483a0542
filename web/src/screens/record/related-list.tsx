import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { includedIn } from '../../properties/related.ts'
import { appearances, counted } from '../../resources.ts'
import { type Kin, kinFilter } from './kin.ts'
import { QuickAdd } from './quick-add.tsx'
import { RelatedRow } from './related-row.tsx'

/** So many are shown here; all of them are a list of their own. */
const SHOWN = 20

/** The records of one kind that belong to a record, the latest first. */
export function RelatedList({ kin, record }: { kin: Kin; record: ApiRecord }) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const filter = kinFilter(kin, record.id)
  const { data, error, refetch } = useQuery({
    queryKey: [...recordsKey(slug, kin.resource), 'kin', kin.relation, record.id],
    queryFn: ({ signal }) => {
      const body = { filter, per_page: SHOWN, include: kin.relation }
      return call<RecordPage>('POST', `/w/${slug}/v1/${kin.resource}/query`, { body, signal })
    },
  })
  if (error) return <ErrorState error={error} onRetry={refetch} />
  const included = data ? includedIn(data) : new Map()
  return (
    <>
      {roleMay(role, 'create') && <QuickAdd kin={kin} record={record} />}
      {!data && <Skeleton className="mt-4 w-1/2" />}
      {data?.data.length === 0 && (
        <p className="px-2 py-3 text-sm text-faint">No {appearances[kin.resource].many.toLowerCase()} yet.</p>
      )}
      <ul className="mt-1">
        {data?.data.map((one) => (
          <RelatedRow key={one.id} kin={kin} record={one} included={included} of={record.id} />
        ))}
      </ul>
      {data && data.meta.total > SHOWN && (
        <Link
          to="/$workspace/$resource"
          params={{ workspace: slug, resource: kin.resource }}
          search={{ filter }}
          className="mt-2 inline-block px-2 text-sm text-accent hover:underline"
        >
          All {counted(data.meta.total, kin.resource)}
        </Link>
      )}
    </>
  )
}
