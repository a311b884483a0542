import type { FileObject } from '@kith/contract/file'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Download, File, FileImage, FileText, Paperclip, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { contentAddress, deleteFile, filesQuery, renameFile } from '../../api/files.ts'
import { messageOf } from '../../api/problems.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Input } from '../../components/controls.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatSize } from '../../format/sizes.ts'
import { isPicture } from '../../markdown/file-links.ts'
import { addFiles } from '../../uploads/uploads.ts'
import { ownerOf, useMayAddFiles } from './file-drop.tsx'

/** The files of a record, newest first. */
export function Files({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const may = useMayAddFiles()
  const query = useInfiniteQuery(filesQuery(slug, record))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const files = data?.pages.flatMap((page) => page.data)
  return (
    <>
      {may && <AddFiles record={record} />}
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="mt-4 w-1/2" />}
      {files?.length === 0 && (
        <p className="px-2 py-3 text-sm text-faint">No files yet.{may ? ' Drop them anywhere on this page.' : ''}</p>
      )}
      <ul aria-label="Files" className="mt-1">
        {files?.map((file) => (
          <FileLine key={file.id} file={file} />
        ))}
      </ul>
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          More
        </Button>
      )}
    </>
  )
}

function AddFiles({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size="small" onClick={() => input.current?.click()}>
        <Paperclip aria-hidden />
        Add files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Add files"
        onChange={({ target }) => {
          addFiles({ slug, owner: ownerOf(record) }, [...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}

/** The icon of a file by its media type. */
export function fileIcon({ attributes: { content_type } }: FileObject): ReactNode {
  if (content_type.startsWith('image/')) return <FileImage aria-hidden />
  return /^text\/|pdf/.test(content_type) ? <FileText aria-hidden /> : <File aria-hidden />
}

/** A link that downloads a file. */
export function FileLink({ file }: { file: FileObject }) {
  const slug = useSlug()
  const { name } = file.attributes
  return (
    <a
      href={contentAddress(slug, file.id)}
      download={name}
      dir="auto"
      className="min-w-0 font-medium wrap-anywhere hover:underline"
    >
      {name}
    </a>
  )
}

/** Larger pictures are not loaded to be shown small. */
const SHOWN_MAX_BYTES = 5 * 1024 * 1024

/** The picture in a file, if it is one of a kind that browsers show. */
export function Picture({ file, className }: { file: FileObject; className: string }) {
  const slug = useSlug()
  const { content_type, size, name } = file.attributes
  if (!isPicture(content_type) || size > SHOWN_MAX_BYTES) return null
  return <img src={contentAddress(slug, file.id)} alt={name} loading="lazy" draggable={false} className={className} />
}

function FileLine({ file }: { file: FileObject }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const { role } = useWorkspace()
  const [renaming, setRenaming] = useState(false)
  const { name, size, created_at } = file.attributes
  const remove = () => deleteFile(queries, slug, file).catch(tellFailure('Could not delete the file'))
  return (
    <li className="group flex min-h-9 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover">
      <span className="grid size-6 shrink-0 place-items-center overflow-hidden rounded-sm text-faint [&_svg]:size-4">
        <Picture file={file} className="size-6 object-cover" />
        <span className="[:not(:only-child)]:hidden">{fileIcon(file)}</span>
      </span>
      {renaming ? (
        <Rename file={file} onClose={() => setRenaming(false)} />
      ) : (
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <FileLink file={file} />
          <span data-numeric className="text-xs text-faint">
            {formatSize(size)} · <Moment at={created_at} />
          </span>
        </span>
      )}
      {!renaming && (
        <span className="flex shrink-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <IconButton size="small" label={`Download ${name}`} onClick={() => download(contentAddress(slug, file.id))}>
            <Download />
          </IconButton>
          {roleMay(role, 'update') && (
            <IconButton size="small" label={`Rename ${name}`} onClick={() => setRenaming(true)}>
              <Pencil />
            </IconButton>
          )}
          {roleMay(role, 'delete') && (
            <IconButton size="small" label={`Delete ${name}`} onClick={remove}>
              <Trash2 />
            </IconButton>
          )}
        </span>
      )}
    </li>
  )
}

function tellFailure(what: string) {
  return (error: unknown) => showToast({ tone: 'danger', message: `${what}: ${messageOf(error)}` })
}

function download(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}

/** Enter saves, Escape cancels. A refused name stays, with the reason. */
function Rename({ file, onClose }: { file: FileObject; onClose(): void }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [name, setName] = useState(file.attributes.name)
  const [problem, setProblem] = useState<string>()
  const save = async () => {
    if (name.trim() === file.attributes.name) return onClose()
    try {
      await renameFile(queries, slug, { id: file.id, name })
      onClose()
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Input
        autoFocus
        dir="auto"
        aria-label="Name of the file"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
        className="h-7!"
      />
      {problem !== undefined && (
        <p role="alert" className="mt-1 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}
