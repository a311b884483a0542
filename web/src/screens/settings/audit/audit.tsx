import { type AuditedKind, auditedKinds } from '@kith/contract/app/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { auditQuery } from '../../../api/audit.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Select } from '../../../components/select.tsx'
import { kindWords } from '../../audit/audit-words.ts'
import { Page, Rows } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { AuditLine } from './audit-line.tsx'
import { ExportMenu } from './export-menu.tsx'

const ALL = 'all'

export function Audit() {
  const slug = useSlug()
  const navigate = useNavigate()
  const { of } = useSearch({ strict: false })
  const kind = auditedKinds.find((one): one is AuditedKind => one === of)
  const log = useInfiniteQuery(auditQuery(slug, kind))
  const entries = log.data?.pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Audit log"
      text="Who changed what, when, and from where."
      action={
        <div className="flex gap-2">
          <div className="w-44">
            <Select
              label="What the entries are about"
              value={kind ?? ALL}
              onValueChange={(of) => navigate({ to: '.', search: of === ALL ? {} : { of } })}
              choices={[
                { value: ALL, label: 'Everything' },
                ...auditedKinds.map((one) => ({ value: one, label: kindWords(one).many })),
              ]}
            />
          </div>
          <ExportMenu kind={kind} />
        </div>
      }
    >
      {log.error && <ErrorState error={log.error} onRetry={log.refetch} />}
      {!entries && !log.error && <RowSkeletons count={8} />}
      {entries?.length === 0 && <EmptyState icon={History} title="No entries yet" />}
      {entries && entries.length > 0 && (
        <Rows label="Entries">
          {entries.map((entry) => (
            <AuditLine key={`${entry.id} ${entry.record_id}`} entry={entry} />
          ))}
        </Rows>
      )}
      {log.hasNextPage && (
        <div className="mt-4 grid justify-center">
          <Button disabled={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
            {log.isFetchingNextPage ? 'Loading…' : 'Show earlier entries'}
          </Button>
        </div>
      )}
    </Page>
  )
}
