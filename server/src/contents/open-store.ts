import { join } from 'node:path'
import { sqlitePath } from '../storage/engines/database-url.ts'
import { type Bucket, bucketObjects, bucketStore } from './bucket.ts'
import type { ContentStore, Objects } from './content-store.ts'
import { type FilesPlace, filesNextTo, parseFilesUrl } from './files-url.ts'
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
  const place = parseFilesUrl(settings.FILES_URL)
  if (!place) throw new Error('FILES_URL was not checked.')
  return place.kind === 'folder' ? folderStore(place.path) : bucketStore(bucketOf(place, settings, onTrouble))
}

type KeySettings = Omit<FilesSettings, 'FILES_URL'>

/** The objects in another bucket, with the same keys. */
export function bucketAt(place: BucketPlace, settings: KeySettings, onTrouble: (error: unknown) => void): Objects {
  return bucketObjects(bucketOf(place, settings, onTrouble))
}

type BucketPlace = Extract<FilesPlace, { kind: 'bucket' }>

function bucketOf(place: BucketPlace, settings: KeySettings, onTrouble: (error: unknown) => void): Bucket {
  const { S3_ACCESS_KEY: access_key = '', S3_SECRET_KEY: secret_key = '', DATABASE_URL } = settings
  const drafts = join(sqlitePath(filesNextTo(DATABASE_URL)), 'drafts')
  return { ...place, access_key, secret_key, drafts, onTrouble }
}
