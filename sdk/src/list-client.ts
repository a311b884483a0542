import type { PageDocumentMeta } from '@kith/contract/query-string'
import { documentOf, reading } from './calls.ts'
import type { CallOptions } from './list-query.ts'
import { recordsOf, scanByNumber } from './pages.ts'
import type { Connection } from './transport.ts'

/** A page of a list that is read by number. */
export type PageOf<T> = { data: T[] } & PageDocumentMeta

/** Which part of such a list is read. `Q` has the parameters of its own. */
type PartOf<Q> = CallOptions & Q & { readonly per_page?: number | undefined }

/** A list that is only read: one page, every page or every item. */
export type ListClient<T, Q = unknown> = {
  list(query?: PartOf<Q> & { readonly page?: number | undefined }): Promise<PageOf<T>>
  pages(query?: PartOf<Q>): AsyncGenerator<PageOf<T>, void, undefined>
  all(query?: PartOf<Q>): AsyncGenerator<T, void, undefined>
}

export function listClient<T, Q>(connection: Connection, path: string): ListClient<T, Q> {
  const list = (asked: CallOptions = {}) => documentOf<PageOf<T>>(connection, reading(path, asked))
  const pages = (asked: CallOptions = {}) => scanByNumber(asked, list)
  return { list, pages, all: (asked) => recordsOf(pages(asked)) }
}
