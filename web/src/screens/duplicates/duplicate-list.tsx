import { roleMay } from '@kith/contract/permissions'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CopyCheck } from 'lucide-react'
import { useFields } from '../../api/fields.ts'
import { type Duplicate, duplicatesQuery } from '../../api/merges.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Pager } from '../../components/pager.tsx'
import { Pill } from '../../components/pill.tsx'
import { formatMoment } from '../../format/moments.ts'
import { appearances, counted } from '../../resources.ts'
import { RowSkeletons } from '../settings/page-skeleton.tsx'

/** What several records have in common, with the records: certain duplicates first, then likely ones. */
export function DuplicateList({ resource }: { resource: ResourceName }) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const { at: page = 1 } = useSearch({ strict: false })
  const hasUnique = useFields(resource).some(({ unique }) => unique)
  const { data: found, error, refetch } = useQuery(duplicatesQuery(slug, resource, page))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!found) return <RowSkeletons />
  if (found.data.length === 0) {
    if (!hasUnique && registry[resource].label === 'title') return <NoUniqueField resource={resource} />
    return (
      <EmptyState
        icon={CircleCheck}
        title={`No duplicate ${appearances[resource].many.toLowerCase()}`}
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
              {field.name} of {counted(count, resource)}
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
  const { many } = appearances[resource]
  return (
    <EmptyState
      icon={CopyCheck}
      title={`${many} have no unique field`}
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
