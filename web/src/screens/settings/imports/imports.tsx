import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronDown, Upload } from 'lucide-react'
import { type Job, jobsQuery } from '../../../api/jobs.ts'
import { useMembers } from '../../../api/members.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pager } from '../../../components/pager.tsx'
import { Pill } from '../../../components/pill.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { appearanceIn, appearanceOf } from '../../../resources.ts'
import { Page, RowSkeletons, Rows } from '../page.tsx'
import { JobPage, kindOf, outcomeOf, stateWords } from './job-page.tsx'

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

function JobLine({ job }: { job: Job }) {
  const { resource, name, state, created_at, creator_id } = job.attributes
  const creator = useMembers().find(({ id }) => id === creator_id)
  const schema = useSchema()
  const { icon: Icon } = appearanceIn(schema, resource)
  const { label, tint } = stateWords[state]
  return (
    <li>
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: useSlug(), page: 'imports' }}
        search={{ job: job.id }}
        className="flex items-center gap-3 py-2.5 hover:bg-hover"
      >
        <Icon aria-hidden className="size-4 shrink-0 text-faint" />
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-sm font-medium">
            {name ?? kindOf(schema, job)}
          </p>
          <p className="truncate text-xs text-faint">
            {kindOf(schema, job)} · {outcomeOf(job)} · <Moment at={created_at} />
            {creator && ` by ${creator.name}`}
          </p>
        </div>
        <Pill tint={tint}>{label}</Pill>
      </Link>
    </li>
  )
}

/** Begins an import: asks for the resource first. */
function ImportMenu() {
  const slug = useSlug()
  const navigate = useNavigate()
  const schema = useSchema()
  const { role } = useWorkspace()
  if (!roleMay(role, 'create')) return null
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button>
          Import a file
          <ChevronDown aria-hidden className="text-faint" />
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        {[...schema.values()].map((one) => {
          const { icon: Icon, name } = appearanceOf(one)
          const { type: resource } = one
          return (
            <MenuItem
              key={resource}
              icon={<Icon aria-hidden />}
              onSelect={() => navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource } })}
            >
              {name}
            </MenuItem>
          )
        })}
      </MenuContent>
    </Menu>
  )
}
