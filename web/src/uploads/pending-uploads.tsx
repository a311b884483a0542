import { RotateCw, X } from 'lucide-react'
import { Button, IconButton } from '../components/button.tsx'
import { formatSize } from '../format/sizes.ts'
import type { Upload } from './upload-store.ts'
import { cancelUpload, repeatUpload, useProgress, useUploadFailure } from './uploads.ts'

/** Uploads that are not stored yet, each with its progress and the way to stop it, and `named` with its record. */
export function PendingUploads({ uploads, named = false }: { uploads: readonly Upload[]; named?: boolean }) {
  if (uploads.length === 0) return null
  return (
    <ul aria-label="Uploads" className="mb-3 grid gap-2">
      {uploads.map((upload) => (
        <PendingUpload key={upload.id} upload={upload} named={named} />
      ))}
    </ul>
  )
}

function PendingUpload({ upload, named }: { upload: Upload; named: boolean }) {
  const share = useProgress(upload)
  const failure = useUploadFailure()
  const isRefused = upload.state === 'refused'
  const percent = Math.round((share ?? 0) * 100)
  return (
    <li className="rounded-md border border-line px-2.5 py-1.5 text-sm">
      <div className="flex items-center gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {upload.name}
          {named && <span className="text-faint"> · {upload.owner.name}</span>}
        </span>
        <span data-numeric className="shrink-0 text-xs text-faint">
          {formatSize(upload.body.size)}
        </span>
        {isRefused && (
          <Button size="small" onClick={() => repeatUpload(upload)}>
            <RotateCw aria-hidden />
            Try again
          </Button>
        )}
        <IconButton size="small" label={`Cancel the upload of ${upload.name}`} onClick={() => cancelUpload(upload)}>
          <X />
        </IconButton>
      </div>
      {isRefused || failure !== undefined ? (
        <p role="alert" className="text-xs text-danger wrap-anywhere">
          {isRefused ? `Not uploaded: ${upload.problem}` : `Waiting: ${failure} It is sent as soon as possible.`}
        </p>
      ) : (
        <div
          role="progressbar"
          aria-label={`Upload of ${upload.name}`}
          aria-valuenow={percent}
          className="mt-1 h-1 overflow-hidden rounded-full bg-hover"
        >
          <div className="h-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
        </div>
      )}
    </li>
  )
}
