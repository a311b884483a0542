import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { Suspense, useEffect, useState } from 'react'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { chunk } from '../../components/chunk.tsx'
import type { Column } from './columns.ts'

const PastedTable = chunk(async () => (await import('../paste/paste-dialog.tsx')).PastedTable)

/** Takes a table that is pasted into a list. Its preview is loaded only then. */
export function PastePlace({ resource, columns }: { resource: ResourceName; columns: readonly Column[] }) {
  const slug = useSlug()
  const mayCreate = roleMay(useWorkspace().role, 'create')
  // One that was pasted before the page was loaded again.
  const [isNeeded, setNeeded] = useState(() => 'kith.pasted' in sessionStorage)
  useEffect(() => {
    const onPaste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!clipboardData || isOwned(target)) return
      const copied = { text: clipboardData.getData('text/plain'), html: clipboardData.getData('text/html') }
      setNeeded(true)
      void import('../paste/pasted.ts').then(({ takeTable }) => takeTable({ slug, resource, ...copied }))
    }
    if (mayCreate) window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [slug, resource, mayCreate])
  return isNeeded ? (
    <Suspense>
      <PastedTable resource={resource} visible={columns.map(({ property }) => property)} />
    </Suspense>
  ) : null
}

/** A text is pasted into what has the focus, and nothing into what is below a window. */
function isOwned(target: EventTarget | null): boolean {
  const isTyping =
    target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, [contenteditable]') !== null
  return isTyping || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
}
