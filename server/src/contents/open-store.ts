import { join } from 'node:path'
import { sqlitePath } from '../storage/engines/database-url.ts'
import { bucketStore } from './bucket.ts'
import type { ContentStore } from './content-store.ts'
import { filesNextTo, parseFilesUrl } from './files-url.ts'
import { folderStore } from './folder.ts'

/** The part of the configuration that names the store. */
export type FilesSettings = {
  FILES_URL: string
  S3_ACCESS_KEY?: string | undefined
  S3_SECRET_KEY?: string | undefined
  /** What a bucket gets is received in the folder that files have without it. */
  DATABASE_URL: string
}

/** The store that the configuration names. */
export function openStore(settings: FilesSettings, onTrouble: (error: unknown) => void): ContentStore {
  const { FILES_URL, S3_ACCESS_KEY: access_key = '', S3_SECRET_KEY: secret_key = '' } = settings
  const place = parseFilesUrl(FILES_URL)
  if (!place) throw new Error('FILES_URL was not checked.')
  if (place.kind === 'folder') return folderStore(place.path)
  const drafts = join(sqlitePath(filesNextTo(settings.DATABASE_URL)), 'drafts')
  return bucketStore({ ...place, access_key, secret_key, drafts, onTrouble })
}
