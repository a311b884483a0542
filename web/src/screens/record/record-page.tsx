import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type ApiRecord, nameOf, type RecordDocument } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { includedIn } from '../../properties/related.ts'
import { useProperties } from '../../properties/use-properties.ts'
import { appearances } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { noteVisit } from '../../shell/recent-records.ts'
import { Body } from './body.tsx'
import { Details } from './details.tsx'
import { GoneNote } from './gone-note.tsx'
import { RecordHeader } from './record-header.tsx'
import { useRecord } from './record-query.ts'
import { Surroundings } from './surroundings.tsx'
import { Title } from './title.tsx'

const route = getRouteApi('/$workspace/$resource/$id')

/** Everything about one record. Values are edited in place. */
export function RecordPage() {
  const { resource, id } = route.useParams()
  return <PageOf key={`${resource} ${id}`} resource={resource} id={id} />
}

function PageOf({ resource, id }: { resource: ResourceName; id: string }) {
  const { data, error, refetch } = useRecord(resource, id)
  if (data) {
    return (
      <>
        <GoneNote resource={resource} error={error} />
        <Page document={data} />
      </>
    )
  }
  if (error instanceof KithError && error.kind === 'not_found')
    return <Missing resource={resource} winner={error.merged_into?.id} />
  if (error) {
    return (
      <>
        <Header title={appearances[resource].many} />
        <ErrorState error={error} onRetry={refetch} />
      </>
    )
  }
  return <PageSkeleton />
}

function Page({ document }: { document: RecordDocument }) {
  const { data: record } = document
  const included = includedIn(document)
  useVisit(record)
  const properties = useProperties(record.type)
  const bodies = properties.filter(
    (one) => one.kind === 'custom' && fieldTypes[one.field.type].multiline === 'markdown',
  )
  return (
    <>
      <RecordHeader record={record} />
      {/* One column where room is short, with the details before the lists; beside them where there is room. */}
      <div className="[container-type:size] min-h-0 flex-1 overflow-y-auto">
        <div className="min-h-full lg:grid lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-[auto_1fr]">
          <div className="px-4 pt-5 md:px-8">
            <div className="mx-auto max-w-180">
              <Title record={record} included={included} />
              {bodies.map(
                (property) =>
                  property.kind === 'custom' && <Body key={property.key} property={property} record={record} />,
              )}
            </div>
          </div>
          <Details record={record} included={included} />
          <div className="px-4 pb-5 md:px-8">
            <div className="mx-auto max-w-180">
              <Surroundings record={record} included={included} />
            </div>
          </div>
        </div>
      </div>
    </>
  )
}

/** Pages that were opened are found again in the search. */
function useVisit(record: ApiRecord): void {
  const slug = useSlug()
  const name = nameOf(record)
  useEffect(() => noteVisit(slug, { resource: record.type, id: record.id, name }), [slug, record.type, record.id, name])
}

/** `winner`: the id of the record that it was merged into. */
function Missing({ resource, winner }: { resource: ResourceName; winner: string | undefined }) {
  const slug = useSlug()
  const { icon, one, many } = appearances[resource]
  const place = { workspace: slug, resource }
  const look = 'text-sm text-accent hover:underline'
  const text = winner ? 'Everything that belonged to it is there now.' : 'It may have been deleted.'
  return (
    <>
      <Header title={many} />
      <EmptyState
        icon={icon}
        title={winner ? `This ${one} was merged into another one` : `There is no such ${one}`}
        text={text}
      >
        {winner ? (
          <Link to="/$workspace/$resource/$id" params={{ ...place, id: winner }} className={look}>
            Open that {one}
          </Link>
        ) : (
          <Link to="/$workspace/$resource" params={place} className={look}>
            All {many.toLowerCase()}
          </Link>
        )}
      </EmptyState>
    </>
  )
}

function PageSkeleton() {
  return (
    <>
      <Header title={<Skeleton className="w-40" />} />
      <div aria-busy="true" role="status" aria-label="Loading" className="flex-1 px-4 py-6 md:px-8">
        <div className="mx-auto grid max-w-180 gap-4">
          <Skeleton className="h-6 w-72" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </div>
      </div>
    </>
  )
}
