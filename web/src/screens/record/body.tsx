import { roleMay } from '@kith/contract/permissions'
import { lazy, Suspense, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { useRecordUpdate } from '../../api/record-changes.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { textIn } from '../../fields/values.ts'
import { customChange } from '../../properties/property-change.ts'

// Both are large and most pages are opened to read: neither comes before it is needed.
const MarkdownText = lazy(() => import('../../markdown/markdown-text.tsx').then((it) => ({ default: it.MarkdownText })))
const MarkdownEditor = lazy(() =>
  import('../../markdown/markdown-editor.tsx').then((it) => ({ default: it.MarkdownEditor })),
)

/** A text of any length, laid out; a click or Enter opens the editor in its place. */
export function Body({ field, record }: { field: Field; record: ApiRecord }) {
  const [editing, setEditing] = useState(false)
  const { role } = useWorkspace()
  const update = useRecordUpdate(record.type)
  const text = textIn(record.attributes.custom_fields[field.code] ?? null)
  const save = (markdown: string) => {
    setEditing(false)
    // Text that was not edited stays exactly as another client wrote it.
    if (markdown !== text) update.mutate({ id: record.id, ...customChange(field, markdown === '' ? null : markdown) })
  }
  return (
    <section aria-label={field.name} className="mt-5">
      <h2 className="mb-1 text-xs font-medium text-quiet">{field.name}</h2>
      <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
        {editing ? (
          <MarkdownEditor label={field.name} initial={text} onSave={save} onCancel={() => setEditing(false)} />
        ) : (
          <Shown label={field.name} text={text} onEdit={roleMay(role, 'update') ? () => setEditing(true) : undefined} />
        )}
      </Suspense>
      {update.error && (
        <p role="alert" className="mt-1 text-xs text-danger">
          {update.error.message}
        </p>
      )}
    </section>
  )
}

type ShownProps = { label: string; text: string; onEdit: (() => void) | undefined }

function Shown({ label, text, onEdit }: ShownProps) {
  if (!onEdit) return text === '' ? <p className="text-sm text-faint">Empty</p> : <MarkdownText text={text} />
  return (
    <div className="relative -mx-2 min-h-8 rounded-md px-2 py-1 hover:bg-hover">
      {/* It lies below the text, whose links stay links. */}
      <button type="button" aria-label={`Edit ${label}`} onClick={onEdit} className="absolute inset-0 rounded-md" />
      <div className="pointer-events-none relative [&_a]:pointer-events-auto">
        {text === '' ? <span className="text-sm text-faint">Write something …</span> : <MarkdownText text={text} />}
      </div>
    </div>
  )
}
