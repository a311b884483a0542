import { type AuditEntryRow, type AuditedKind, auditedSettings } from '@kith/contract/app/audit'
import { recordParts } from '@kith/contract/changes/change-kind'
import type { Schema } from '@kith/contract/resource'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronRight, Download, FileJson, FileSpreadsheet, History } from 'lucide-react'
import { useId, useState } from 'react'
import { auditFile, auditQuery } from '../../../api/history.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Select } from '../../../components/select.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { UserAvatar } from '../../../user-avatar.tsx'
import { actionWords, changeLabel, kindWords, sourceWords, valueWords } from '../../audit/audit-words.ts'
import { Page, RowSkeletons, Rows } from '../page.tsx'

const ALL = 'all'

function kindsIn(schema: Schema): AuditedKind[] {
  return [...schema.keys(), ...schema.archived.keys(), ...recordParts, ...auditedSettings]
}

export function Audit() {
  const slug = useSlug()
  const navigate = useNavigate()
  const { of } = useSearch({ strict: false })
  const schema = useSchema()
  const kinds = kindsIn(schema)
  const kind = kinds.find((one) => one === of)
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
                ...kinds.map((one) => ({ value: one, label: kindWords(schema, one).name })),
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

/** The whole log as a file, or the entries about one kind of thing. */
function ExportMenu({ kind }: { kind: AuditedKind | undefined }) {
  const slug = useSlug()
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button>
          <Download aria-hidden />
          Export
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem icon={<FileSpreadsheet />} onSelect={() => download(auditFile(slug, 'csv', kind))}>
          CSV, for spreadsheets
        </MenuItem>
        <MenuItem icon={<FileJson />} onSelect={() => download(auditFile(slug, 'ndjson', kind))}>
          NDJSON, for programs
        </MenuItem>
      </MenuContent>
    </Menu>
  )
}

/** The browser itself takes the file, however long it is. */
function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}

/** One entry; a click shows its changes. */
function AuditLine({ entry }: { entry: AuditEntryRow }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const schema = useSchema()
  const { actor, at, changes } = entry
  const isSignIn = entry.resource === 'sign_ins'
  const name = actor?.name ?? (isSignIn ? 'An unknown user' : 'The command line')
  return (
    <li className="py-2.5">
      <div className="flex items-start gap-3">
        <UserAvatar id={actor?.id} name={name} size={24} />
        <div className="min-w-0 flex-1 pt-0.5">
          <p className="text-sm wrap-anywhere">
            <span className="font-medium">{name}</span> <span className="text-quiet">{actionWords(entry)}</span>{' '}
            <Subject entry={entry} />
          </p>
          <p className="mt-0.5 text-xs text-faint">
            <Moment at={at} /> · {sourceWords(entry)}
          </p>
        </div>
        {changes.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
            className="flex h-6 shrink-0 items-center gap-1 rounded-sm px-1 text-xs text-quiet hover:bg-hover"
          >
            {isSignIn ? 'Details' : changes.length === 1 ? '1 change' : `${changes.length} changes`}
            <ChevronRight aria-hidden className={classNames('size-3.5 transition-transform', open && 'rotate-90')} />
          </button>
        )}
      </div>
      {open && (
        <dl id={id} className="mt-2 ml-9 grid gap-1 rounded-md bg-sunk px-3 py-2 text-xs">
          {changes.map((change) => (
            <div key={change.field} className="grid gap-x-3 sm:grid-cols-[120px_1fr]">
              <dt className="text-faint">{changeLabel(schema, entry.resource, change)}</dt>
              <dd className="wrap-anywhere">
                {!isSignIn && (
                  <>
                    <del className="line-clamp-4 text-quiet no-underline">{valueWords(change.before)}</del>
                    <span className="text-faint">→ </span>
                  </>
                )}
                <ins className="no-underline">{valueWords(change.after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

function Subject({ entry: { action, resource, record_id, record_name } }: { entry: AuditEntryRow }) {
  const slug = useSlug()
  const schema = useSchema()
  if (resource === 'sign_ins') return action === 'sign_in' ? null : <span>as {record_name}</span>
  const { one } = kindWords(schema, resource)
  if (record_name === null) return <span>the {one}</span>
  if (!schema.has(resource)) {
    return (
      <span>
        <span className="text-quiet">the {one}</span> {record_name}
      </span>
    )
  }
  return (
    <>
      <span className="text-quiet">the {one}</span>{' '}
      <Link
        to="/$workspace/$resource/$id"
        params={{ workspace: slug, resource, id: record_id }}
        dir="auto"
        className="underline-offset-2 hover:underline"
      >
        {record_name}
      </Link>
    </>
  )
}
