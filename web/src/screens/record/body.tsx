import { roleMay } from '@kith/contract/permissions'
import { lazy, Suspense, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import type { RecordInput } from '../../api/patch-record.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { textIn } from '../../fields/values.ts'
import { customChange } from '../../properties/property-change.ts'
import { TextConflictPanel } from '../../properties/text-conflict.tsx'
import { useTextSaving } from '../../properties/text-saving.ts'

// Both are large and most pages are opened to read: neither comes before it is needed.
const MarkdownText = lazy(() => import('../../markdown/markdown-text.tsx').then((it) => ({ default: it.MarkdownText })))
const MarkdownEditor = lazy(() =>
  import('../../markdown/markdown-editor.tsx').then((it) => ({ default: it.MarkdownEditor })),
)

/** A text of any length, laid out; a click or Enter opens the editor in its place. */
export function Body({ field, record }: { field: Field; record: ApiRecord }) {
  // The record as it was when the editor was opened.
  const [seen, setSeen] = useState<ApiRecord>()
  const { role } = useWorkspace()
  const textOf = ({ custom_fields }: RecordInput) => textIn(custom_fields?.[field.code] ?? null)
  const saving = useTextSaving(record, textOf)
  const text = textOf(record.attributes)
  const edit = () => {
    saving.reset()
    setSeen(record)
  }
  const save = (markdown: string) => {
    setSeen(undefined)
    // Text that was not edited stays exactly as another client wrote it.
    if (!seen || markdown === textOf(seen.attributes)) return
    saving.save(customChange(field, markdown === '' ? null : markdown), seen)
  }
  return (
    <section aria-label={field.name} className="mt-5">
      <h2 className="mb-1 text-xs font-medium text-quiet">{field.name}</h2>
      <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
        {seen ? (
          <MarkdownEditor
            label={field.name}
            initial={textOf(seen.attributes)}
            onSave={save}
            onCancel={() => setSeen(undefined)}
          />
        ) : (
          <Shown label={field.name} text={text} onEdit={roleMay(role, 'update') ? edit : undefined} />
        )}
      </Suspense>
      {saving.conflict && <TextConflictPanel label={field.name} conflict={saving.conflict} />}
      {saving.failure && (
        <p role="alert" className="mt-1 text-xs text-danger">
          {saving.failure}
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
