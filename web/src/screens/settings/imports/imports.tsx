import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { jobsQuery } from '../../../api/jobs.ts'
import { useSlug } from '../../../api/workspace.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pager } from '../../../components/pager.tsx'
import { Page, Rows } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { ImportMenu } from './import-menu.tsx'
import { JobLine } from './job-line.tsx'
import { JobPage } from './job-page.tsx'

/** The imports of the last 30 days, or one of them. */
export function Imports() {
  const { job } = useSearch({ from: '/$workspace/settings/$page' })
  return job === undefined ? <JobList /> : <JobPage key={job} id={job} />
}

function JobList() {
  const slug = useSlug()
  const navigate = useNavigate()
  const { at: page = 1 } = useSearch({ from: '/$workspace/settings/$page' })
  const { data: found, error, refetch } = useQuery(jobsQuery(slug, page))
  return (
    <Page
      title="Imports"
      text="Imports continue if you close this page. You can undo an import for 30 days."
      action={<ImportMenu />}
    >
      {error && !found && <ErrorState error={error} onRetry={refetch} />}
      {!found && !error && <RowSkeletons />}
      {found?.data.length === 0 && (
        <EmptyState
          icon={Upload}
          title="No imports yet"
          text="Open a list, and choose Import in its menu. Programs import files with the API."
        />
      )}
      {found && found.data.length > 0 && (
        <>
          <Rows label="Imports">
            {found.data.map((job) => (
              <JobLine key={job.id} job={job} />
            ))}
          </Rows>
          <Pager
            page={found.meta.current_page}
            pages={found.meta.last_page}
            onPage={(at) => navigate({ to: '.', search: { at } })}
          />
        </>
      )}
    </Page>
  )
}
