import type { TrashedRecord } from '@kith/contract/app/trash'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { trashQuery } from '../../../api/records.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pager } from '../../../components/pager.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { restoreRecord, useRecordAct } from '../../../drafts/record-acts.ts'
import { formatAgo } from '../../../format/moments.ts'
import { appearanceIn, useAppearance } from '../../../resources.ts'
import { ResourceTabs, useChosenResource } from '../../resource-tabs.tsx'
import { Page, RowSkeletons, Rows } from '../page.tsx'

export function Trash() {
  const slug = useSlug()
  const navigate = useNavigate()
  const schema = useSchema()
  const resource = useChosenResource()
  const { at: page = 1 } = useSearch({ strict: false })
  const { data: found, error, refetch } = useQuery(trashQuery(slug, resource, page))
  const what = resource ? appearanceIn(schema, resource).many : 'records'
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

const DAY_MS = 86_400_000

function TrashedLine({ trashed }: { trashed: TrashedRecord }) {
  const { resource, id, name, deleted_at, deleted_by, restorable_until, merge_id } = trashed
  const slug = useSlug()
  const restoration = useRecordAct({ type: resource, id })
  const { icon: Icon, one } = useAppearance(resource)
  const days = Math.max(0, Math.ceil((Date.parse(restorable_until) - Date.now()) / DAY_MS))
  return (
    <li className="flex items-center gap-3 py-2.5">
      <Icon aria-label={one} role="img" className="size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p dir="auto" title={name} className="truncate text-sm font-medium">
          {name}
        </p>
        <p className="text-xs text-faint">
          <Moment at={deleted_at}>
            {merge_id ? 'Merged away' : 'Deleted'} {formatAgo(deleted_at)}
          </Moment>
          {deleted_by && ` by ${deleted_by.name}`} ·{' '}
          <span className="whitespace-nowrap">{days === 1 ? '1 day left' : `${days} days left`}</span>
        </p>
      </div>
      <Button
        size="small"
        disabled={restoration?.state === 'waiting'}
        aria-label={merge_id ? `Undo the merge of ${name}` : `Restore ${name}`}
        onClick={() => restoreRecord({ slug, resource, id, name })}
      >
        {merge_id ? 'Undo merge' : 'Restore'}
      </Button>
    </li>
  )
}
