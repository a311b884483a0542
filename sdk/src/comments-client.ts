import type { CommentObject } from '@kith/contract/comment'
import { creating, deleting, documentOf, reading, updating } from './calls.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import type { HistoryPage } from './merge-documents.ts'
import { recordsOf, scanByCursor } from './pages.ts'
import { type Connection, send } from './transport.ts'

type CommentDocument = { readonly data: CommentObject }

type CommentPage = Omit<HistoryPage, 'data'> & { data: CommentObject[] }

type PageOptions = CallOptions & { readonly per_page?: number | undefined }

/** The comments on one record. */
type RecordComments = {
  /** One page, the oldest first. */
  list(query?: PageOptions & { readonly cursor?: string | undefined }): Promise<CommentPage>
  /** Every comment, page after page. */
  all(query?: PageOptions): AsyncGenerator<CommentObject, void, undefined>
  /** In Markdown. `@[<member id>]` mentions a member. */
  add(body: string, options?: WriteOptions & { readonly replyTo?: string | undefined }): Promise<CommentDocument>
}

/** The comments on the records of one resource. */
export type RecordCommentsClient = {
  /** The comments on a record by its ID. */
  comments(id: string): RecordComments
}

/** The comments on all records, by their IDs. */
export type CommentsClient = {
  read(id: string, options?: CallOptions): Promise<CommentDocument>
  /** Gives a comment another body. Only its author can. */
  edit(id: string, body: string, options?: WriteOptions): Promise<CommentDocument>
  delete(id: string, options?: WriteOptions): Promise<void>
  /** Brings a deleted comment back, for 30 days. */
  restore(id: string, options?: WriteOptions): Promise<CommentDocument>
}

export function recordCommentsClient(connection: Connection, resource: string): RecordCommentsClient {
  return {
    comments(id) {
      const path = `/${resource}/${encodeURIComponent(id)}/comments`
      const list: RecordComments['list'] = (asked = {}) => documentOf(connection, reading(path, asked))
      return {
        list,
        all: (asked = {}) => recordsOf(scanByCursor(asked, list)),
        add(body, { replyTo, ...options } = {}) {
          const sent = replyTo === undefined ? { body } : { body, reply_to: replyTo }
          return documentOf(connection, creating(path, sent, options))
        },
      }
    },
  }
}

export function commentsClient(connection: Connection): CommentsClient {
  const pathOf = (id: string) => `/comments/${encodeURIComponent(id)}`
  return {
    read: (id, asked = {}) => documentOf(connection, reading(pathOf(id), asked)),
    edit: (id, body, options = {}) => documentOf(connection, updating(pathOf(id), { body }, options)),
    async delete(id, options = {}) {
      await send(connection, deleting(pathOf(id), options))
    },
    restore: (id, options = {}) => documentOf(connection, updating(`${pathOf(id)}/restore`, {}, options)),
  }
}
