import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'

/** Where contents are stored: in a folder, or in a bucket below a prefix. */
export type FilesPlace =
  | { kind: 'folder'; path: string }
  | { kind: 'bucket'; url: string; prefix: string; region: string }

export const FILES_FORMS =
  'file: and a folder, such as file:./data/files, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1'

const REGION = 'us-east-1'

const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/

/** Reads `FILES_URL`. Undefined if it has another form. */
export function parseFilesUrl(text: string): FilesPlace | undefined {
  if (/^file:(\/\/)?[^?\s]/.test(text)) return { kind: 'folder', path: sqlitePath(text) }
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || !NAME.test(url.host) || url.username !== '' || url.hash !== '') return undefined
  const { endpoint, region = REGION, ...others } = Object.fromEntries(url.searchParams)
  const prefix = url.pathname.replace(/^\//, '').replace(/\/$/, '')
  if (Object.keys(others).length > 0 || !/^[a-z0-9-]{1,50}$/.test(region)) return undefined
  if (prefix !== '' && !PREFIX.test(prefix)) return undefined
  const base = URL.parse(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!base || !/^https?:$/.test(base.protocol) || base.search !== '' || base.username !== '') return undefined
  const address = `${base.origin}${base.pathname.replace(/\/$/, '')}`
  return { kind: 'bucket', url: `${address}/${url.host}`, prefix: prefix === '' ? '' : `${prefix}/`, region }
}

/** Where files are if `FILES_URL` is not given: next to the database, or in ./data if that is on a server. */
export function filesNextTo(databaseUrl: string): string {
  const end = Math.max(databaseUrl.lastIndexOf('/'), databaseUrl.lastIndexOf(':')) + 1
  return isPostgres(databaseUrl) ? 'file:./data/files' : `${databaseUrl.slice(0, end)}files`
}
