import { roleMay } from '@kith/contract/permissions'
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { filesIn } from '../../components/transferred-files.ts'
import { addFiles } from '../../uploads/uploads.ts'

/** Whether the user may add files to records. */
export function useMayAddFiles(): boolean {
  const { role } = useWorkspace()
  return roleMay(role, 'create') && roleMay(role, 'update')
}

/** The record as the owner of files. */
export function ownerOf(record: ApiRecord) {
  return { type: record.type, id: record.id, name: nameOf(record) }
}

/** A place where files are dropped to add them to a record. */
export function FileDrop({
  record,
  className,
  children,
}: {
  record: ApiRecord
  className?: string
  children: ReactNode
}) {
  const slug = useSlug()
  const may = useMayAddFiles()
  // Parts of the page are entered and left one inside the other.
  const depth = useRef(0)
  const [over, setOver] = useState(false)
  const enter = (by: 1 | -1) => (event: DragEvent) => {
    if (!may || !hasFiles(event)) return
    depth.current += by
    setOver(depth.current > 0)
  }
  const drop = (event: DragEvent) => {
    if (!may || !hasFiles(event)) return
    depth.current = 0
    setOver(false)
    // An editor has taken them.
    if (event.defaultPrevented) return
    event.preventDefault()
    addFiles({ slug, owner: ownerOf(record) }, filesIn(event.dataTransfer))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button adds files as well
    <div
      onDragEnter={enter(1)}
      onDragLeave={enter(-1)}
      // Without it, the browser opens the file in place of the page.
      onDragOver={(event) => may && hasFiles(event) && event.preventDefault()}
      onDrop={drop}
      className={classNames('relative', className)}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-30 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/80">
          <p className="flex items-center gap-2 rounded-md bg-paper px-3 py-2 text-sm font-medium">
            <Upload aria-hidden className="size-4 text-accent" />
            Drop to add to {nameOf(record)}
          </p>
        </div>
      )}
    </div>
  )
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
