import { roleMay } from '@kith/contract/permissions'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CopyCheck, Undo2 } from 'lucide-react'
import { type Duplicate, duplicatesQuery, type Merge, mergesQuery, undoMerge } from '../../api/merges.ts'
import { useResource, useSchema } from '../../api/schema.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Moment } from '../../components/moment.tsx'
import { Pager } from '../../components/pager.tsx'
import { Pill } from '../../components/pill.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { formatMoment } from '../../format/moments.ts'
import { useAction } from '../../forms/save.ts'
import { counted, useAppearance } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { ResourceTabs, useChosenResource } from '../resource-tabs.tsx'
import { RowSkeletons } from '../settings/page.tsx'
import { MergeScreen } from './merge-screen.tsx'

const route = getRouteApi('/$workspace/duplicates')

/** Records that share a value of a unique field or look alike, and the way to make them one. */
export function Duplicates() {
  const { merge } = route.useSearch()
  const schema = useSchema()
  const compared = [...schema.values()].filter(isCompared).map(({ type }) => type)
  const resource = useChosenResource() ?? compared[0] ?? 'companies'
  const ids = [...new Set((merge ?? '').split(',').filter(Boolean))]
  if (ids.length > 1) return <MergeScreen key={resource} name={resource} ids={ids} />
  return (
    <>
      <Header icon={<CopyCheck aria-hidden />} title="Duplicates" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-200 px-4 py-5 sm:px-6">
          <p className="mb-3 max-w-150 text-sm text-quiet">
            Records with the same value of a unique field are certain duplicates. Records with the same name or address
            are likely duplicates. Merge them into one record: it keeps its ID and gets everything that belongs to the
            others. You can undo a merge for 30 days.
          </p>
          <ResourceTabs
            chosen={resource}
            only={[...schema.keys()].filter((name) => compared.includes(name) || name === resource)}
          />
          <DuplicateList key={resource} resource={resource} />
          <RecentMerges resource={resource} />
        </div>
      </div>
    </>
  )
}

/** Titles of tasks and notes are often the same. */
function isCompared({ label, fields }: Resource): boolean {
  return label === 'name' || fields.list.some(({ unique }) => unique)
}

/** The merges of the last 30 days, each with its undo. */
function RecentMerges({ resource }: { resource: ResourceName }) {
  const { slug } = useWorkspace()
  const { data: found } = useQuery(mergesQuery(slug, resource))
  if (!found || found.data.length === 0) return null
  return (
    <section aria-label="Merged in the last 30 days" className="mt-10">
      <h2 className="text-sm font-semibold">Merged in the last 30 days</h2>
      <ul className="mt-2 border-t border-line">
        {found.data.map((merge) => (
          <MergeLine key={merge.id} merge={merge} />
        ))}
      </ul>
    </section>
  )
}

function MergeLine({ merge }: { merge: Merge }) {
  const { slug, role } = useWorkspace()
  const words = useAppearance(merge.resource)
  const undoing = useAction(() => undoMerge(slug, merge.id), {
    message: `${counted(merge.losers.length, words)} restored`,
    // A merge moves records of other resources too.
    reload: [[slug, 'records']],
  })
  const winner = merge.winner.name ?? 'a record that is gone'
  return (
    <li className="flex items-center gap-3 border-b border-line py-2.5">
      <div className="min-w-0 flex-1">
        <p className="text-sm wrap-anywhere">
          {merge.losers.map(({ name }) => name ?? 'a record').join(', ')}
          <span className="text-faint"> into </span>
          <Link
            to="/$workspace/$resource/$id"
            params={{ workspace: slug, resource: merge.resource, id: merge.winner.id }}
            className="font-medium hover:underline"
          >
            {winner}
          </Link>
        </p>
        <p className="mt-0.5 text-xs text-faint">
          <Moment at={merge.merged_at} />
          {merge.merged_by && ` by ${merge.merged_by.name}`}
          {merge.undone_at === null && ` · can be undone until ${formatMoment(merge.undoable_until)}`}
        </p>
      </div>
      {merge.undone_at !== null ? (
        <Pill>Undone</Pill>
      ) : (
        roleMay(role, 'update') && (
          <Button
            size="small"
            disabled={undoing.isPending}
            aria-label={`Undo the merge into ${winner}`}
            onClick={() => undoing.mutate()}
          >
            <Undo2 aria-hidden />
            Undo
          </Button>
        )
      )}
    </li>
  )
}

/** Duplicates with their records: certain ones first, then likely ones. */
function DuplicateList({ resource }: { resource: ResourceName }) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const { at: page = 1 } = useSearch({ strict: false })
  const definition = useResource(resource)
  const { many } = useAppearance(resource)
  const { data: found, error, refetch } = useQuery(duplicatesQuery(slug, resource, page))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!found) return <RowSkeletons />
  if (found.data.length === 0) {
    if (!isCompared(definition)) return <NoUniqueField resource={resource} />
    return (
      <EmptyState
        icon={CircleCheck}
        title={`No duplicate ${many}`}
        text="No two records have the same value in a unique field, and no two look alike."
      />
    )
  }
  return (
    <div className="mt-2">
      <ul aria-label="Duplicates">
        {found.data.map((duplicate) => (
          <DuplicateLine
            key={`${duplicate.certainty} ${duplicate.field.code} ${duplicate.value}`}
            resource={resource}
            duplicate={duplicate}
          />
        ))}
      </ul>
      <Pager
        page={found.meta.page}
        pages={Math.ceil(found.meta.total / found.meta.per_page)}
        onPage={(at) => navigate({ to: '.', search: { of: resource, at } })}
      />
    </div>
  )
}

function DuplicateLine({ resource, duplicate }: { resource: ResourceName; duplicate: Duplicate }) {
  const { slug, role } = useWorkspace()
  const words = useAppearance(resource)
  const { certainty, field, value, records, count } = duplicate
  const merge = records.map(({ id }) => id).join(',')
  return (
    <li className="border-b border-line py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm wrap-anywhere">
            <span title={String(value)} className="line-clamp-2 font-medium">
              {value}
            </span>
            <span className="flex items-center gap-2 text-faint">
              <Pill tint={certainty === 'certain' ? 'red' : 'amber'}>
                {certainty === 'certain' ? 'Certain' : 'Likely'}
              </Pill>
              {field.name} of {counted(count, words)}
            </span>
          </p>
          <ul className="mt-1.5 grid gap-0.5">
            {records.map(({ id, name, created_at }) => (
              <li key={id} className="flex min-w-0 items-baseline gap-2 text-sm">
                <Link
                  to="/$workspace/$resource/$id"
                  params={{ workspace: slug, resource, id }}
                  dir="auto"
                  title={name}
                  className="truncate text-quiet hover:text-ink hover:underline"
                >
                  {name}
                </Link>
                <time dateTime={created_at} className="shrink-0 text-xs text-faint">
                  {formatMoment(created_at)}
                </time>
              </li>
            ))}
            {count > records.length && (
              <li className="text-xs text-faint">and {count - records.length} more; merge these first</li>
            )}
          </ul>
        </div>
        {roleMay(role, 'update') && roleMay(role, 'delete') && (
          <Link
            to="/$workspace/duplicates"
            params={{ workspace: slug }}
            search={{ of: resource, merge }}
            aria-label={`Compare and merge the records with ${value}`}
            className="inline-flex h-8 shrink-0 items-center gap-1.5 rounded-md border border-edge px-3 text-sm hover:bg-hover"
          >
            <CopyCheck aria-hidden className="size-4 max-sm:hidden" />
            Merge
          </Link>
        )}
      </div>
    </li>
  )
}

function NoUniqueField({ resource }: { resource: ResourceName }) {
  const { slug } = useWorkspace()
  const { name } = useAppearance(resource)
  return (
    <EmptyState
      icon={CopyCheck}
      title={`${name} have no unique field`}
      text="Duplicates are records with the same value in a unique field, such as an email address or a number."
    >
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: slug, page: 'fields' }}
        search={{ of: resource }}
        className="inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover"
      >
        Go to the fields
      </Link>
    </EmptyState>
  )
}
