import type { FileObject } from '@kith/contract/file'
import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import { showToast } from '../components/toast-store.ts'
import { call, callForData, dataQuery, searchOf } from './call.ts'
import { recordsKey, refreshRecords } from './records.ts'

/** In the keys of live updates, and in the path of the API. */
const FILES = 'files'

type FilePage = { data: FileObject[]; meta: { total: number; current_page: number; last_page: number } }

/** The record that files belong to. */
type FileOwner = { type: string; id: string }

const PER_PAGE = 50

/** The files of a record, newest first, page by page. */
export function filesQuery(slug: string, { type, id }: FileOwner) {
  return infiniteQueryOptions({
    queryKey: [...recordsKey(slug, FILES), type, id],
    queryFn: ({ pageParam: page, signal }) =>
      call<FilePage>('GET', `/w/${slug}/v1/${type}/${id}/files${searchOf({ page, per_page: PER_PAGE })}`, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.current_page < meta.last_page ? meta.current_page + 1 : undefined),
  })
}

/** One file. */
export function fileQuery(slug: string, id: string) {
  return dataQuery<FileObject>([...recordsKey(slug, FILES), id], `/w/${slug}/v1/files/${id}`)
}

/** Loads the files on the screen again, and the timelines that show them. */
export function refreshFiles(queries: QueryClient, slug: string): Promise<void> {
  return refreshRecords(queries, slug, FILES)
}

/** Where the content of a file is. It is always an attachment, and nothing in it runs. */
export function contentAddress(slug: string, id: string): string {
  return `/api/app/w/${slug}/v1/files/${id}/content`
}

export async function renameFile(
  queries: QueryClient,
  slug: string,
  file: { id: string; name: string },
): Promise<void> {
  await callForData('PATCH', `/w/${slug}/v1/files/${file.id}`, { body: { name: file.name } })
  await refreshFiles(queries, slug)
}

/** Deletes a file, says so, and offers to bring it back. */
export async function deleteFile(queries: QueryClient, slug: string, { id, attributes }: FileObject): Promise<void> {
  const path = `/w/${slug}/v1/files/${id}`
  await call('DELETE', path)
  await refreshFiles(queries, slug)
  const undo = async () => {
    await call('PUT', `${path}/restore`)
    await refreshFiles(queries, slug)
  }
  showToast({ message: `Deleted ${attributes.name}`, undo })
}
