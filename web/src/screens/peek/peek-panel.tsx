import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react'
import { nameOf, type RecordDocument } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { IconButton } from '../../components/button.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { useProperties } from '../../properties/property.ts'
import { includedIn } from '../../properties/related.ts'
import { useAppearance, withArticle } from '../../resources.ts'
import { Body } from '../record/body.tsx'
import { Details } from '../record/details.tsx'
import { Facts } from '../record/facts.tsx'
import { GoneNote } from '../record/gone-note.tsx'
import { useRecord } from '../record/record-query.ts'
import { Surroundings } from '../record/surroundings.tsx'
import { Title } from '../record/title.tsx'

/** One record of the list next to it. Everything can be edited, as on its page. */
export function PeekPanel(props: {
  resource: ResourceName
  id: string
  /** Goes to another record of the list; undefined where there is none. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  /** Called when the page of the record is opened. */
  onOpen?: (() => void) | undefined
  onClose(): void
}) {
  const { resource, id, onPrevious, onNext, onOpen, onClose } = props
  const slug = useSlug()
  const { data, error, refetch } = useRecord(resource, id)
  const { one } = useAppearance(resource)
  return (
    <section
      aria-label={data ? `Peek at ${nameOf(data.data)}` : `Peek at ${withArticle(one)}`}
      className="float-in flex w-120 max-w-full shrink-0 flex-col border-l border-line bg-paper max-sm:fixed max-sm:inset-0 max-sm:z-30 max-sm:w-full max-sm:border-l-0 sm:max-lg:absolute sm:max-lg:inset-y-0 sm:max-lg:right-0 sm:max-lg:z-30 sm:max-lg:shadow-float"
    >
      <header className="flex h-11 shrink-0 items-center gap-0.5 border-b border-line px-2">
        <IconButton label="Previous record" keys="k" disabled={!onPrevious} onClick={onPrevious}>
          <ChevronUp />
        </IconButton>
        <IconButton label="Next record" keys="j" disabled={!onNext} onClick={onNext}>
          <ChevronDown />
        </IconButton>
        <span className="flex-1" />
        <Link
          to="/$workspace/$resource/$id"
          params={{ workspace: slug, resource, id }}
          onClick={onOpen}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-sm text-quiet hover:bg-hover hover:text-ink"
        >
          <Maximize2 aria-hidden className="size-4" />
          Open the page
        </Link>
        <IconButton label="Close" keys="Escape" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      {data && <GoneNote document={data} error={error} />}
      <div className="min-h-0 flex-1 overflow-y-auto">
        {data ? (
          <Peeked key={data.data.id} document={data} />
        ) : error ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <div role="status" aria-label="Loading" className="grid gap-4 p-5">
            <Skeleton className="h-6 w-60" />
            <Skeleton className="w-full" />
            <Skeleton className="w-2/3" />
          </div>
        )}
      </div>
    </section>
  )
}

/** The parts of the record's page in one column. */
function Peeked({ document }: { document: RecordDocument }) {
  const { data: record } = document
  const included = includedIn(document)
  const bodies = useProperties(record.type).filter(
    (one) => one.kind === 'custom' && fieldTypes[one.field.type].multiline === 'markdown',
  )
  return (
    <>
      <div className="px-5 pt-5">
        <Title level={2} record={record} included={included} />
        {bodies.map(
          (property) => property.kind === 'custom' && <Body key={property.key} property={property} record={record} />,
        )}
      </div>
      <Details record={record} included={included} className="mt-5 border-y border-line p-5" />
      <div className="px-5 pb-5">
        <Surroundings record={record} included={included} about={<Facts record={record} />} />
      </div>
    </>
  )
}
