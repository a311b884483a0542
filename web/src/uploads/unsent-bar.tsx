import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useSlug } from '../api/workspace.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PendingUploads } from './pending-uploads.tsx'
import { sendUploads, useUploadFailure, useUploads } from './uploads.ts'

/** A line above the page while there are files that cannot be sent, or were refused. */
export function UnsentBar() {
  const slug = useSlug()
  const failure = useUploadFailure()
  const [open, setOpen] = useState(false)
  const uploads = useUploads().filter((one) => one.slug === slug && (one.state === 'refused' || failure !== undefined))
  if (uploads.length === 0) return null
  const files = uploads.length === 1 ? '1 file is' : `${uploads.length} files are`
  const kept = 'Kept in this browser and sent as soon as possible.'
  return (
    <section
      aria-label="Files that are not uploaded"
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-danger-soft px-3 py-1 text-sm md:px-4"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      <p role="status" className="min-w-48 flex-1">
        {files} not uploaded{failure === undefined ? '.' : `: ${failure} ${kept}`}
      </p>
      {failure !== undefined && (
        <Button size="small" onClick={() => sendUploads()}>
          Try again
        </Button>
      )}
      <Button size="small" onClick={() => setOpen(true)}>
        Show
      </Button>
      {open && (
        <Dialog
          open
          closesAtOnce
          onOpenChange={setOpen}
          title="Files that are not uploaded"
          description="They are kept in this browser until they are uploaded or you cancel them."
        >
          <PendingUploads uploads={uploads} named />
        </Dialog>
      )}
    </section>
  )
}
