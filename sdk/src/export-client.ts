import { writeQueryString } from '@kith/contract/query-string'
import type { BuiltInName } from '@kith/contract/resource'
import type { SyncRecord } from './changes.ts'
import type { FieldTypes } from './custom-values.ts'
import { type ExportRun, readRows } from './export-rows.ts'
import { KithError } from './failures.ts'
import type { Filter } from './filter.ts'
import { type CallOptions, parametersOf, type Selection } from './list-query.ts'
import type { Connection } from './transport.ts'

type ExportQuery<F extends FieldTypes, R extends string> = CallOptions & {
  readonly filter?: Filter<F, R> | undefined
  /** Attributes to show; all others are omitted. */
  readonly fields?: Selection<F, R> | undefined
  /** Only records after this id. */
  readonly after?: string | undefined
}

/** An export that runs while it is read. One that is cut off continues where it was. */
export type Exported<T> = AsyncIterable<T> & {
  /** The place in the changes feed before the first record. Empty until the first of them has come. */
  readonly changesCursor: string
  /** How many records have come. */
  readonly count: number
}

export type ExportClient<F extends FieldTypes, R extends string> = {
  /** Every record that meets the filter, by id, in one response of any length. */
  export(query?: ExportQuery<F, R>): Exported<SyncRecord<F, R>>
  /** The export as the text of a CSV file, in pieces of whole rows, header first. */
  exportCsv(query?: ExportQuery<F, R>): Exported<string>
}

type AnyExportQuery = ExportQuery<FieldTypes, BuiltInName>

export function exportClient<F extends FieldTypes, R extends string>(
  connection: Connection,
  resource: R,
): ExportClient<F, R> {
  const begin = (format: ExportRun['format'], asked: object): ExportRun => {
    const { signal, after = '', ...shown }: AnyExportQuery = asked
    const pathAfter = (id: string) =>
      `/${resource}/export?${writeQueryString({ ...parametersOf(shown), format, after: id || undefined })}`
    return { format, signal, after, pathAfter, changesCursor: '', count: 0 }
  }
  return {
    export: (asked = {}) => exported(begin('ndjson', asked), (run) => recordsOf<SyncRecord<F, R>>(connection, run)),
    exportCsv: (asked = {}) => exported(begin('csv', asked), (run) => csvOf(connection, run)),
  }
}

function exported<T>(run: ExportRun, read: (run: ExportRun) => AsyncGenerator<T>): Exported<T> {
  return {
    [Symbol.asyncIterator]: () => read(run),
    get changesCursor() {
      return run.changesCursor
    },
    get count() {
      return run.count
    },
  }
}

async function* recordsOf<T>(connection: Connection, run: ExportRun): AsyncGenerator<T> {
  for await (const { text } of readRows(connection, run)) {
    for (const line of text.split('\n')) {
      // The service writes one record in the sync form on each line.
      if (line !== '') yield JSON.parse(line) as T
    }
  }
}

async function* csvOf(connection: Connection, run: ExportRun): AsyncGenerator<string> {
  let header: string | undefined
  for await (const { text, isFirst } of readRows(connection, run)) {
    if (!isFirst) {
      yield text
      continue
    }
    const end = text.indexOf('\n') + 1
    const own = text.slice(0, end)
    if (header !== undefined && own !== header) throw new KithError({ kind: 'unexpected', message: COLUMNS_CHANGED })
    if (header === undefined || end < text.length) yield header === undefined ? text : text.slice(end)
    header = own
  }
}

const COLUMNS_CHANGED = 'The export was cut off, and its columns have changed since. Start it again.'
