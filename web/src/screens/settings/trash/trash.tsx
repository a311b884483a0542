import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { trashQuery } from '../../../api/trash.ts'
import { useSlug } from '../../../api/workspace.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pager } from '../../../components/pager.tsx'
import { appearances } from '../../../resources.ts'
import { ResourceTabs, useChosenResource } from '../../resource-tabs.tsx'
import { Page, Rows } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { TrashedLine } from './trashed-line.tsx'

export function Trash() {
  const slug = useSlug()
  const navigate = useNavigate()
  const resource = useChosenResource()
  const { at: page = 1 } = useSearch({ strict: false })
  const { data: found, error, refetch } = useQuery(trashQuery(slug, resource, page))
  const what = resource ? appearances[resource].many.toLowerCase() : 'records'
  return (
    <Page title="Trash" text="Deleted records can be restored for 30 days. Then they are deleted permanently.">
      <ResourceTabs chosen={resource} all />
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!found && !error && <RowSkeletons />}
      {found && found.data.length === 0 && (
        <EmptyState icon={Trash2} title={`No deleted ${what}`} text="Deleted records stay here for 30 days." />
      )}
      {found && found.data.length > 0 && (
        <div className="mt-1">
          <Rows label={`Deleted ${what}`}>
            {found.data.map((trashed) => (
              <TrashedLine key={trashed.id} trashed={trashed} />
            ))}
          </Rows>
          <Pager
            page={found.meta.page}
            pages={Math.ceil(found.meta.total / found.meta.per_page)}
            onPage={(at) => navigate({ to: '.', search: { ...(resource ? { of: resource } : {}), at } })}
          />
        </div>
      )}
    </Page>
  )
}
