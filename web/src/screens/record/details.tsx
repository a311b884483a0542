import { fieldTypes } from '@kith/contract/field-types'
import { ChevronDown, ChevronRight, Fingerprint } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { draftAt, useAllDrafts } from '../../drafts/drafts.ts'
import { EditableProperty } from '../../drafts/editable-property.tsx'
import { placeOf } from '../../drafts/property-draft.ts'
import { formatNumber } from '../../format/numbers.ts'
import { type Property, useProperties } from '../../properties/property.ts'
import { hasValue, iconOf } from '../../properties/property-view.ts'
import type { IncludedRecords } from '../../properties/related.ts'
import { ExternalIds } from './external-ids.tsx'

// Only tasks have them.
const PlanLines = chunk(async () => (await import('./plan-lines.tsx')).PlanLines)

const FIELDS_SHOWN = 16

/** All fields of the record. How it came to be and its ids are folded away. */
export function Details(props: { record: ApiRecord; included: IncludedRecords; className: string }) {
  const { record, included, className } = props
  const properties = useProperties(record.type)
  const own = properties.filter((property) => isDetail(property) && !isOrigin(property))
  const [all, setAll] = useState(false)
  // Decided when the page is opened: a field that is cleared or filled in stays where it is.
  const slug = useSlug()
  const [hidden] = useState(() => hiddenIn(own, { slug, record }))
  const empty = own.filter(({ key }) => hidden.has(key))
  const shown = all ? own : own.filter(({ key }) => !hidden.has(key))
  const origin = properties.filter(isOrigin)
  return (
    <aside aria-label="Details" className={className}>
      <Lines properties={shown} record={record} included={included} />
      {record.type === 'tasks' && (
        <Suspense>
          <PlanLines task={record} />
        </Suspense>
      )}
      {empty.length > 0 && !all && (
        <Button look="quiet" size="small" className="mt-1 -ml-2" onClick={() => setAll(true)}>
          <ChevronDown aria-hidden />
          Show {formatNumber(empty.length)} empty fields
        </Button>
      )}
      <hr className="my-3 border-line" />
      <Origin record={record}>
        <Lines properties={origin} record={record} included={included} />
      </Origin>
    </aside>
  )
}

/** Whether it is unfolded is remembered on this device. */
const UNFOLDED = 'kith.record-origin'

/** What developers want to know about a record: how it came to be, its id and its ids in other systems. */
function Origin({ record, children }: { record: ApiRecord; children: ReactNode }) {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(UNFOLDED) !== null)
  const isTyped = useAllDrafts().some(({ id, property }) => id === record.id && property.startsWith('external_ids'))
  const note = (open: boolean) => {
    setOpen(open)
    if (open) localStorage.setItem(UNFOLDED, 'open')
    else localStorage.removeItem(UNFOLDED)
  }
  return (
    <details open={isOpen || isTyped} onToggle={({ currentTarget }) => isTyped || note(currentTarget.open)}>
      <summary className="-mx-2 flex h-7 list-none items-center gap-2 rounded-md px-2 text-xs font-medium text-quiet hover:bg-hover [details[open]>&>svg]:rotate-90">
        <ChevronRight aria-hidden className="size-3.5 transition-transform" />
        Source and ids
      </summary>
      <div className="grid gap-3 pt-1">
        {children}
        <dl className="grid grid-cols-[9.75rem_minmax(0,1fr)_auto] items-center">
          <dt className="flex items-center gap-2 text-sm text-quiet">
            <Fingerprint aria-hidden className="size-3.5 shrink-0 text-faint" />
            ID
          </dt>
          <dd className="truncate px-2 font-mono text-xs">{record.id}</dd>
          <dd>
            <CopyButton text={record.id} look="quiet" aria-label="Copy the ID" />
          </dd>
        </dl>
        <ExternalIds record={record} />
      </div>
    </details>
  )
}

function Lines(props: { properties: readonly Property[]; record: ApiRecord; included: IncludedRecords }) {
  const { properties, record, included } = props
  return (
    <dl className="grid gap-0.5">
      {properties.map((property) => (
        <Line key={property.key} property={property} record={record} included={included} />
      ))}
    </dl>
  )
}

function Line({ property, record, included }: { property: Property; record: ApiRecord; included: IncludedRecords }) {
  const Icon = iconOf(property)
  return (
    <div className="grid grid-cols-[9.75rem_minmax(0,1fr)] items-start">
      <dt title={property.label} className="flex min-h-7 items-center gap-2 text-sm text-quiet">
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="truncate">{property.label}</span>
      </dt>
      <dd className="min-w-0">
        <EditableProperty property={property} record={record} included={included} />
      </dd>
    </div>
  )
}

/** Fields without a value, where there are too many fields to see those with one. */
function hiddenIn(
  properties: readonly Property[],
  { slug, record }: { slug: string; record: ApiRecord },
): ReadonlySet<string> {
  if (properties.length <= FIELDS_SHOWN) return new Set()
  const isDraft = (property: Property) => draftAt(placeOf(slug, property, record)) !== undefined
  const empty = properties.filter((property) => !hasValue(property, record) && !isDraft(property))
  return new Set(empty.map(({ key }) => key))
}

/** Names and long texts have a place of their own, and counts are listed below them. */
function isDetail(property: Property): boolean {
  if (property.kind === 'custom') return fieldTypes[property.field.type].multiline !== 'markdown'
  return property.kind !== 'name' && property.kind !== 'count'
}

function isOrigin({ kind }: Property): boolean {
  return kind === 'creator' || kind === 'time' || kind === 'source'
}
