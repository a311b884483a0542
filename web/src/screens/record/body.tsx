import { roleMay } from '@kith/contract/permissions'
import { type FocusEvent, Suspense, useEffect, useState } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { chunk } from '../../components/chunk.tsx'
import { Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toast-store.ts'
import { ConflictPanel } from '../../drafts/conflict-panel.tsx'
import { DraftNote } from '../../drafts/drafted-property.tsx'
import { draftAt } from '../../drafts/drafts.ts'
import { placeOf, usePropertyDraft } from '../../drafts/property-draft.ts'
import { textIn } from '../../fields/values.ts'
import { markdownOf } from '../../markdown/file-links.ts'
import type { PropertyOf } from '../../properties/property.ts'
import { customChange } from '../../properties/property-change.ts'
import { includedIn } from '../../properties/related.ts'
import { addFiles } from '../../uploads/uploads.ts'
import { ownerOf, useMayAddFiles } from '../files/file-drop.tsx'
import { isGone } from './gone-note.tsx'
import { useRecord } from './record-query.ts'

// Both are large and most pages are opened to read: neither comes before it is needed.
const MarkdownText = chunk(async () => (await import('../../markdown/markdown-text.tsx')).MarkdownText)
const MarkdownEditor = chunk(async () => (await import('../../markdown/markdown-editor.tsx')).MarkdownEditor)

/**
 * A text of any length, laid out; a click or Enter opens the editor in its place. It saves itself while it is written,
 * and the editor closes once all is saved. A text that was left unsaved opens its editor again.
 */
export function Body({ property, record }: { property: PropertyOf<'custom'>; record: ApiRecord }) {
  const { field, label } = property
  const slug = useSlug()
  const [open, setOpen] = useState(() => draftAt(placeOf(slug, property, record)) !== undefined)
  const [closing, setClosing] = useState(false)
  const { role } = useWorkspace()
  const own = usePropertyDraft(property, record, open)
  // The page has asked already.
  const isDeleted = isGone(useRecord(record.type, record.id).error)
  const { draft, problem } = own
  const isConflict = draft?.state === 'conflict'
  const textOf = ({ attributes }: ApiRecord) => textIn(attributes.custom_fields[field.code])
  const change = (markdown: string) => customChange(field, markdown === '' ? null : markdown)
  const mayEdit = roleMay(role, 'update')
  const mayAdd = useMayAddFiles()
  const addTo = (files: readonly File[], insert: (markdown: string) => boolean) => {
    const into = { code: field.code, label }
    addFiles({ slug, owner: ownerOf(record), into }, files, (file) => insert(markdownOf(file, slug)))
  }
  const done = () => {
    own.leave()
    setClosing(true)
  }
  const discard = () => {
    const typed = textOf(own.shown)
    own.save(change(textOf(own.begun)))
    setClosing(true)
    showToast({ message: 'Discarded your changes', undo: () => own.save(change(typed)) })
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) own.turnAway()
  }
  useEffect(() => {
    const isClosed = isConflict || (closing && !draft)
    if (isClosed) setOpen(false)
    // A failed save keeps the editor open with the text.
    if (isClosed || problem !== undefined) setClosing(false)
  }, [isConflict, closing, draft, problem])
  return (
    <section aria-label={label} onBlur={onBlur} className="mt-5">
      <h2 className="mb-1 text-xs font-medium text-quiet">{label}</h2>
      <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
        {open && !isConflict ? (
          <MarkdownEditor
            label={label}
            initial={textOf(own.edited)}
            revision={own.revision}
            failed={isDeleted || problem !== undefined}
            status={isDeleted && own.draft ? 'Not saved: this was deleted.' : own.status}
            onFiles={mayAdd ? addTo : undefined}
            onType={(markdown) => {
              setClosing(false)
              own.type(change(markdown))
            }}
            onDone={done}
            onDiscard={discard}
          />
        ) : (
          <Shown label={label} text={textOf(own.shown)} onEdit={mayEdit ? () => setOpen(true) : undefined} />
        )}
      </Suspense>
      {!open && <DraftNote own={own} onEdit={() => setOpen(true)} />}
      {draft && <ConflictPanel property={property} record={record} included={nothing} draft={draft} />}
    </section>
  )
}

const nothing = includedIn({})

function Shown({ label, text, onEdit }: { label: string; text: string; onEdit: (() => void) | undefined }) {
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
