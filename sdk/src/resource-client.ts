import { builtIn } from '@kith/contract/built-in'
import { attributesOf, type Declaration } from '@kith/contract/resource'
import {
  creating,
  deleting,
  documentOf,
  querying,
  reading,
  summarizing,
  updating,
  upserted,
  upserting,
} from './calls.ts'
import type { FieldTypes } from './custom-values.ts'
import type { CursorList, Include, PageList, RecordObject, Single } from './documents.ts'
import type {
  AnswerQuery,
  ChangeOptions,
  ListRequest,
  PageQuery,
  ScanQuery,
  Selection,
  WriteOptions,
} from './list-query.ts'
import { type Page, recordsOf, scanByCursor, scanByNumber } from './pages.ts'
import type { CreateInput, UpdateInput, UpsertInput } from './record-input.ts'
import type { Summary, SummaryInput } from './summary-query.ts'
import { type Call, type Connection, send } from './transport.ts'

type Chosen<F extends FieldTypes, R extends string> = Selection<F, R> | undefined
type Scanned<F extends FieldTypes, R extends string, I extends Include<R>, S> =
  | CursorList<F, R, I, S>
  | PageList<F, R, I, S>

/** The operations on the records of one resource. */
export type ResourceClient<F extends FieldTypes, R extends string> = {
  /** One page. A filter travels in a body, so that it may be as large as the service allows. */
  list<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    query?: PageQuery<F, R, I, S>,
  ): Promise<PageList<F, R, I, S>>
  /** One page, with all parameters in a body. */
  query<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    query?: PageQuery<F, R, I, S>,
  ): Promise<PageList<F, R, I, S>>
  /** Counts records, or sums up one of their fields, in groups. */
  summary(query?: SummaryInput<F, R>): Promise<Summary>
  /** Every page of a list, one after the other: by cursor, or by number when it is sorted by a custom field. */
  pages<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    query?: ScanQuery<F, R, I, S>,
  ): AsyncGenerator<Scanned<F, R, I, S>, void, undefined>
  /** Every record of a list, page after page. */
  all<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    query?: ScanQuery<F, R, I, S>,
  ): AsyncGenerator<RecordObject<F, R, I, S>, void, undefined>
  read<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    id: string,
    query?: AnswerQuery<R, I, S>,
  ): Promise<Single<F, R, I, S>>
  create<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    input: CreateInput<F, R>,
    query?: AnswerQuery<R, I, S> & WriteOptions,
  ): Promise<Single<F, R, I, S>>
  update<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    id: string,
    input: UpdateInput<F, R>,
    query?: AnswerQuery<R, I, S> & ChangeOptions,
  ): Promise<Single<F, R, I, S>>
  /** Updates the one record that holds a value, or creates it. */
  upsert<const I extends Include<R> = readonly [], const S extends Chosen<F, R> = undefined>(
    input: UpsertInput<F, R>,
    query?: AnswerQuery<R, I, S> & WriteOptions,
  ): Promise<Single<F, R, I, S> & { created: boolean }>
  delete(id: string, options?: ChangeOptions): Promise<void>
}

export function resourceClient<F extends FieldTypes, R extends string>(
  connection: Connection,
  resource: R,
): ResourceClient<F, R> {
  const root = `/${resource}`
  const pathOf = (id: string) => `${root}/${encodeURIComponent(id)}`
  const answerTo = <T>(call: Call) => documentOf<T>(connection, call)
  return {
    list: (asked = {}) => answerTo(asked.filter === undefined ? reading(root, asked) : querying(root, asked)),
    query: (asked = {}) => answerTo(querying(root, asked)),
    summary: (asked = {}) => answerTo(summarizing(root, asked)),
    pages: (asked = {}) => scan(connection, resource, asked),
    all: (asked = {}) => recordsOf(scan(connection, resource, asked)),
    read: (id, asked = {}) => answerTo(reading(pathOf(id), asked)),
    create: (input, asked = {}) => answerTo(creating(root, input, asked)),
    update: (id, input, asked = {}) => answerTo(updating(pathOf(id), input, asked)),
    upsert: (input, asked = {}) => upserted(connection, upserting(root, input, asked)),
    async delete(id, options = {}) {
      await send(connection, deleting(pathOf(id), options))
    },
  }
}

/** Lists sorted by a custom field have pages, but no cursors. */
function scan<P extends Page>(
  connection: Connection,
  resource: string,
  asked: ListRequest,
): AsyncGenerator<P, void, undefined> {
  const ask = (one: ListRequest) => documentOf<P>(connection, querying(`/${resource}`, one))
  const known = Object.values<Declaration>(builtIn).find(({ type }) => type === resource)
  const native = known ? attributesOf(known, 'text', 'time') : ['name', 'created_at', 'updated_at']
  const sort = typeof asked.sort === 'string' ? [asked.sort] : (asked.sort ?? [])
  const byCursor = sort.every((name) => native.includes(name.replace(/^-/, '')))
  return byCursor ? scanByCursor(asked, ask) : scanByNumber(asked, ask)
}
