import type { AuditEntryRow } from '@kith/contract/app/audit'
import type { AuditedChange } from '@kith/contract/history-entry'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { entryQuery } from '../../api/history.ts'
import { useSchema } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { changeLabel, valueWords } from './audit-words.ts'

/** `of` is the record in whose history the entry is. */
type Props = { entry: AuditEntryRow; of: string }

/** What changed, before and after. */
export function Changes({ entry, of }: Props) {
  const schema = useSchema()
  return entry.changes.map((change) => (
    <div key={change.field} className="mt-0.5 text-quiet">
      <p className="line-clamp-2 wrap-anywhere">
        {changeLabel(schema, entry.resource, change)}: <del className="text-faint">{valueWords(change.before)}</del>{' '}
        <span aria-hidden>→</span> <ins className="text-ink no-underline">{valueWords(change.after)}</ins>
      </p>
      {change.truncated && <ShowAll entry={entry} of={of} change={change} />}
    </div>
  ))
}

/** The entry has only the beginning of long values. */
function ShowAll({ change, ...place }: Props & { change: AuditedChange }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} className="text-xs text-accent hover:underline">
        Show all
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={changeLabel(useSchema(), place.entry.resource, change)} wide>
        <FullChange field={change.field} {...place} />
      </Dialog>
    </>
  )
}

function FullChange({ entry: { id, resource }, of, field }: Props & { field: string }) {
  const { data, error, refetch } = useQuery(entryQuery(useSlug(), { id, resource, of }))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  const change = data?.changes.find((one) => one.field === field)
  if (!change) return <Skeleton className="w-2/3" />
  return (
    <div className="grid gap-4">
      {change.truncated && <p className="text-sm text-quiet">Long texts are kept in full for 30 days.</p>}
      <Side name="Before" value={change.before} />
      <Side name="After" value={change.after} />
    </div>
  )
}

function Side({ name, value }: { name: string; value: unknown }) {
  const text = valueWords(value)
  return (
    <div>
      <div className="mb-1 flex h-7 items-center justify-between">
        <h3 className="text-xs font-medium text-quiet">{name}</h3>
        {value !== null && value !== '' && <CopyButton text={text} aria-label={`Copy ${name.toLowerCase()}`} />}
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
        tabIndex={0}
        aria-label={name}
        className="max-h-[32vh] overflow-y-auto rounded-md border border-line px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </section>
    </div>
  )
}
