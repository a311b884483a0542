import type { Resource, ResourceName } from '@kith/contract/resource'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeft, X } from 'lucide-react'
import { type CSSProperties, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { mergeRecords, undoMerge } from '../../api/merges.ts'
import { type ApiRecord, nameOf, type RecordDocument, recordsKey } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toast-store.ts'
import { useHeld } from '../../components/typed.ts'
import { formatMoment } from '../../format/moments.ts'
import { FormProblem } from '../../forms/form.tsx'
import { tellFailure, useSave } from '../../forms/save.ts'
import { includeOf, type Property, useProperties } from '../../properties/property.ts'
import { iconOf } from '../../properties/property-view.ts'
import { type IncludedRecords, includedIn } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { appearanceOf, counted } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import {
  attributesOf,
  heldBy,
  isEmpty,
  isList,
  isMerged,
  type MergePlan,
  sourceOf,
  TOGETHER,
  type ValueChoices,
} from './merge-choices.ts'
import { MergeOutcome } from './merge-outcome.tsx'

/** Two or more records side by side, to be made one. */
export function MergeScreen({ name, ids }: { name: ResourceName; ids: readonly string[] }) {
  const resource = useResource(name)
  const { records, included, error, retry } = useRecords(resource, ids)
  const navigate = useNavigate()
  const back = () => navigate({ to: '.', search: { of: resource.type } })
  return (
    <>
      <Header
        icon={
          <IconButton label="Back to the duplicates" onClick={back}>
            <ArrowLeft />
          </IconButton>
        }
        title={`Merge ${counted(ids.length, appearanceOf(resource))}`}
      />
      <div className="min-h-0 flex-1 overflow-auto">
        {error && <ErrorState error={error} onRetry={retry} />}
        {!records && !error && <Skeleton className="m-6 h-80" />}
        {records && <Merge resource={resource} records={records} included={included} onDone={back} />}
      </div>
    </>
  )
}

function Merge(props: {
  resource: Resource
  records: readonly ApiRecord[]
  included: IncludedRecords
  onDone(): Promise<void>
}) {
  const { resource, records, included, onDone } = props
  const slug = useSlug()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const properties = useProperties(resource.type).filter(isMerged)
  const [chosenWinner, setWinner] = useState<string>()
  const [choices, setChoices] = useState<ValueChoices>({})
  useHeld(chosenWinner !== undefined || Object.keys(choices).length > 0)
  // Other systems most likely know the oldest one.
  const winner = records.find(({ id }) => id === chosenWinner) ?? records[0]
  const merging = { winner: winner?.id ?? '', records, included, choices }
  const losers = records.filter((record) => record !== winner)
  const refresh = () => queries.invalidateQueries({ queryKey: [slug, 'records'] })
  const merge = () => {
    const input = { loser_ids: losers.map(({ id }) => id), attributes: attributesOf(properties, merging) }
    return mergeRecords(slug, { type: resource.type, id: merging.winner }, input)
  }
  const acting = useSave(merge, {
    next: async ({ data, meta }) => {
      const undo = async () => {
        await undoMerge(slug, meta.merge_id).catch(tellFailure)
        await refresh()
      }
      showToast({ message: `Merged ${counted(records.length, appearanceOf(resource))} into ${nameOf(data)}`, undo })
      // Do not fetch the merged records again.
      await onDone()
      await refresh()
    },
  })
  const leaveOut = (id: string) =>
    navigate({
      to: '.',
      search: { of: resource.type, merge: records.flatMap((one) => (one.id === id ? [] : one.id)).join(',') },
    })
  if (!winner) return null
  return (
    <div className="pb-8 md:min-w-fit">
      <MergeGrid
        properties={properties}
        merging={merging}
        onWinner={setWinner}
        onChoose={(key, source) => setChoices({ ...choices, [key]: source })}
        onLeaveOut={records.length > 2 ? leaveOut : undefined}
      />
      <div className="sticky left-0 w-[calc(100vw-32px)] max-w-150 px-4 pt-6 md:w-auto">
        <MergeOutcome resource={resource} winner={winner} losers={losers} />
        <div className="mt-4 grid gap-3">
          <FormProblem error={acting.error} />
          <div className="flex gap-2">
            <Button look="primary" disabled={acting.isPending} onClick={() => acting.mutate()}>
              {acting.isPending ? 'Merging…' : `Merge into ${shortened(nameOf(winner))}`}
            </Button>
            <Button onClick={onDone}>Cancel</Button>
          </div>
        </div>
      </div>
    </div>
  )
}

function useRecords(resource: Resource, ids: readonly string[]) {
  const slug = useSlug()
  const include = [
    ...new Set(
      useProperties(resource.type)
        .filter(isMerged)
        .flatMap((one) => includeOf(one) ?? []),
    ),
  ].join()
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: [...recordsKey(slug, resource.type), 'document', id, include],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordDocument>('GET', `/w/${slug}/v1/${resource.type}/${id}${include ? `?include=${include}` : ''}`, {
          signal,
        }),
    })),
  })
  const documents = answers.flatMap(({ data }) => data ?? [])
  const records = documents.map(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    records: documents.length === ids.length ? records : undefined,
    included: includedIn({ included: documents.flatMap(({ included }) => included ?? []) }),
    error: answers.find(({ error }) => error)?.error,
    retry: () => Promise.all(answers.map(({ refetch }) => refetch())),
  }
}

function shortened(name: string): string {
  return name.length > 24 ? `${name.slice(0, 23)}…` : name
}

/** The records side by side, one line for each property; where there is no room, below one another. */
function MergeGrid(props: {
  properties: readonly Property[]
  merging: MergePlan
  onWinner(id: string): void
  onChoose(key: string, source: string): void
  /** Takes a record out of the merge, where enough are left. */
  onLeaveOut: ((id: string) => void) | undefined
}) {
  const { properties, merging, onWinner, onChoose, onLeaveOut } = props
  const { records, included, winner } = merging
  const shown = properties.filter((one) => records.some((record) => !isEmpty(heldBy(one, record, included))))
  // A property of CSS that the grid below counts by.
  const style = { '--records': records.length } as CSSProperties
  return (
    <div style={style}>
      <fieldset className={lineLook}>
        <legend className="contents">
          <span className="px-4 py-3 text-xs text-faint max-md:px-2 max-md:pb-1">Keep the id of</span>
        </legend>
        {records.map((record) => (
          <div key={record.id} className="flex min-w-0 items-start gap-1 p-1">
            <MergeChoice
              name="winner"
              label={`Keep ${nameOf(record)}`}
              checked={record.id === winner}
              onChoose={() => onWinner(record.id)}
            >
              <RecordTitle record={record} />
            </MergeChoice>
            {onLeaveOut && (
              <IconButton label={`Leave out ${nameOf(record)}`} size="small" onClick={() => onLeaveOut(record.id)}>
                <X />
              </IconButton>
            )}
          </div>
        ))}
      </fieldset>
      {shown.map((property) => (
        <MergeRow
          key={property.key}
          className={lineLook}
          property={property}
          merging={merging}
          onChoose={(source) => onChoose(property.key, source)}
        />
      ))}
    </div>
  )
}

const lineLook =
  'grid min-w-0 border-b border-line max-md:grid-cols-[minmax(0,1fr)] max-md:px-2 max-md:pb-2 ' +
  'md:grid-cols-[184px_repeat(var(--records),minmax(200px,30rem))] md:items-center md:pr-4'

function RecordTitle({ record }: { record: ApiRecord }) {
  return (
    <span className="block min-w-0">
      <span dir="auto" title={nameOf(record)} className="block truncate font-medium">
        {nameOf(record)}
      </span>
      <span className="block truncate text-xs text-faint">Made {formatMoment(record.attributes.created_at)}</span>
    </span>
  )
}

/** One property of all the records: which value the one record will have. */
function MergeRow(props: {
  className: string
  property: Property
  merging: MergePlan
  onChoose(source: string): void
}) {
  const { className, property, merging, onChoose } = props
  const { records, included } = merging
  const source = sourceOf(property, merging)
  const values = records.map((record) => heldBy(property, record, included))
  const differ = new Set(values.map((value) => JSON.stringify(value))).size > 1
  const Icon = iconOf(property)
  return (
    <fieldset className={className}>
      <legend className="contents">
        <span className="flex min-w-0 items-center gap-2 px-4 py-2 text-sm text-quiet max-md:px-2 max-md:pb-1">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          <span className="truncate">{property.label}</span>
        </span>
      </legend>
      {records.map((record, index) => (
        <div key={record.id} className="min-w-0 p-1 max-md:py-0.5">
          {!differ ? (
            <div className="px-1 md:pl-8.5">
              <Value property={property} record={record} merging={merging} hidden={index > 0} />
            </div>
          ) : (
            <MergeChoice
              name={property.key}
              label={`${property.label} of ${nameOf(record)}`}
              checked={source === record.id || (source === TOGETHER && !isEmpty(values[index]))}
              several={source === TOGETHER}
              onChoose={() => onChoose(record.id)}
            >
              <Value property={property} record={record} merging={merging} />
            </MergeChoice>
          )}
        </div>
      ))}
      {differ && isList(property) && (
        <div className="p-1 max-md:py-0.5 md:col-start-2 md:col-end-[-1]">
          <MergeChoice
            name={property.key}
            label={`${property.label} of all records`}
            checked={source === TOGETHER}
            onChoose={() => onChoose(TOGETHER)}
          >
            <span className="text-quiet">All together</span>
          </MergeChoice>
        </div>
      )}
    </fieldset>
  )
}

/** Links in it lead nowhere while one chooses. */
function Value(props: {
  property: Property
  record: MergePlan['records'][number]
  merging: MergePlan
  hidden?: boolean
}) {
  const {
    property,
    record,
    merging: { included },
    hidden = false,
  } = props
  const empty = isEmpty(heldBy(property, record, included))
  return (
    <span className={`pointer-events-none block min-h-5 min-w-0 truncate text-sm ${hidden ? 'max-md:hidden' : ''}`}>
      {empty ? (
        <span className="text-faint">Empty</span>
      ) : (
        <ShowProperty property={property} record={record} included={included} />
      )}
    </span>
  )
}

/** A value that can be chosen: a radio button as large as its cell. */
function MergeChoice(props: {
  name: string
  label: string
  checked: boolean
  /** It is taken, but together with others: then it is not the one that is chosen. */
  several?: boolean
  onChoose(): void
  children: ReactNode
}) {
  const { name, label, checked, several = false, onChoose, children } = props
  return (
    <label
      className={classNames(
        'flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-md border px-2.5 py-1.5',
        'has-focus-visible:outline-2 has-focus-visible:outline-accent',
        checked && !several ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover',
      )}
    >
      <input
        type="radio"
        name={name}
        aria-label={label}
        checked={checked && !several}
        onChange={onChoose}
        className="size-3.5 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0 flex-1 text-sm">{children}</span>
    </label>
  )
}
