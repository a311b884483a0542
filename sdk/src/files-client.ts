import type { FileObject } from '@kith/contract/file'
import { deleting, documentOf, reading, updating } from './calls.ts'
import { conditionsOf } from './conditions.ts'
import { type ListClient, listClient } from './list-client.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import { type Connection, type FileContent, openStream, send } from './transport.ts'

type FileDocument = { readonly data: FileObject }

/** The `type` is that of a `Blob` unless given, else `application/octet-stream`. */
type AddOptions = WriteOptions & { readonly name: string; readonly type?: string | undefined }

/** The files of one record. */
type RecordFiles = ListClient<FileObject> & {
  /** Adds a file. The content can be sent again, so a call whose answer is lost is repeated. */
  add(content: FileContent, options: AddOptions): Promise<FileDocument>
}

/** The files of the records of one resource. */
export type RecordFilesClient = {
  /** The files of a record by its ID. */
  files(id: string): RecordFiles
}

/** The files of all records, by their IDs. */
export type FilesClient = {
  read(id: string, options?: CallOptions): Promise<FileDocument>
  /** The content as a response, whose body is read while it arrives. `range`: the first and the last byte. */
  content(
    id: string,
    options?: CallOptions & { readonly range?: readonly [number, number?] | undefined },
  ): Promise<Response>
  rename(id: string, name: string, options?: WriteOptions): Promise<FileDocument>
  delete(id: string, options?: WriteOptions): Promise<void>
  /** Brings a deleted file back, for 30 days. */
  restore(id: string, options?: WriteOptions): Promise<FileDocument>
}

export function recordFilesClient(connection: Connection, resource: string): RecordFilesClient {
  return {
    files(id) {
      const path = `/${resource}/${encodeURIComponent(id)}/files`
      return {
        ...listClient<FileObject, unknown>(connection, path),
        add(content, { name, type = content instanceof Blob ? content.type : '', signal, ...options }) {
          const headers = conditionsOf(options, true)
          return documentOf(connection, {
            method: 'POST',
            path: `${path}?name=${encodeURIComponent(name)}`,
            file: { content, type: type === '' ? 'application/octet-stream' : type },
            headers,
            repeatable: headers['Idempotency-Key'] !== undefined,
            signal,
          })
        },
      }
    },
  }
}

export function filesClient(connection: Connection): FilesClient {
  const pathOf = (id: string) => `/files/${encodeURIComponent(id)}`
  return {
    read: (id, asked = {}) => documentOf(connection, reading(pathOf(id), asked)),
    content(id, { range, signal } = {}) {
      const headers = range ? { headers: { Range: `bytes=${range[0]}-${range[1] ?? ''}` } } : {}
      return openStream(connection, {
        method: 'GET',
        path: `${pathOf(id)}/content`,
        ...headers,
        repeatable: true,
        signal,
      })
    },
    rename: (id, name, options = {}) => documentOf(connection, updating(pathOf(id), { name }, options)),
    async delete(id, options = {}) {
      await send(connection, deleting(pathOf(id), options))
    },
    restore: (id, options = {}) => documentOf(connection, updating(`${pathOf(id)}/restore`, {}, options)),
  }
}
