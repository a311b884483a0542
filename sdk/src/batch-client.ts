import type { BatchMeta, BatchResult as Result } from '@kith/contract/batch'
import { BATCH_MAX } from '@kith/contract/limits'
import type { BuiltInName } from '@kith/contract/resource'
import type { SyncRecord } from './changes.ts'
import { conditionsOf } from './conditions.ts'
import type { FieldTypes } from './custom-values.ts'
import { KithError } from './failures.ts'
import type { WriteOptions } from './list-query.ts'
import type { CreateInput, NamedByLid, UpdateInput, UpsertInput } from './record-input.ts'
import { type Connection, send } from './transport.ts'

/** An operation of a batch. `lid` names the record for later operations of the same request. */
export type Operation<F extends FieldTypes, R extends string> =
  | { readonly op: 'create'; readonly lid?: string | undefined; readonly data: CreateInput<F, R, NamedByLid> }
  | ({ readonly op: 'update'; readonly data: UpdateInput<F, R, NamedByLid> } & RecordReference<F, R>)
  | {
      readonly op: 'upsert'
      readonly lid?: string | undefined
      readonly match: UpsertInput<F, R>['match']
      readonly if_match?: string | undefined
      readonly if_none_match?: string | undefined
      readonly data: CreateInput<F, R, NamedByLid>
    }
  | ({ readonly op: 'delete' } & RecordReference<F, R>)

/** The record of an update or delete: its ID, or a value that it alone holds. */
type RecordReference<F extends FieldTypes, R extends string> = { readonly if_match?: string | undefined } & (
  | { readonly id: string | NamedByLid; readonly match?: undefined }
  | { readonly id?: undefined; readonly match: UpsertInput<F, R>['match'] }
)

/** An operation of a batch of any resources. */
export type AnyOperation<F extends FieldTypes> = {
  [R in BuiltInName | (keyof F & string)]: Operation<F, R> & { readonly resource: R }
}[BuiltInName | (keyof F & string)]

export type BatchOptions = WriteOptions & {
  /** All operations or none. They are sent in one request then, and there can be 1,000 of them. */
  readonly atomic?: boolean | undefined
  /** Checks everything and writes nothing. */
  readonly dry_run?: boolean | undefined
  /** `record`: the results show the records. */
  readonly return?: 'minimal' | 'record' | undefined
}

/** The result of one operation, as in the single request. Its index is the place of the operation in the list. */
export type BatchResult = Omit<Result, 'data'> & { readonly data?: SyncRecord | null }

export type BatchResults = { readonly data: readonly BatchResult[]; readonly meta: BatchMeta }

/** A part of a batch failed, after others that are done. */
export class BatchError extends KithError {
  /** The results of the parts that are done: the next operation is that of the part that failed. */
  readonly results: readonly BatchResult[]

  constructor(cause: KithError, results: readonly BatchResult[]) {
    super({ ...cause, message: cause.message, cause })
    this.name = 'BatchError'
    this.results = results
  }
}

/** Many writes in one call. Lists of any length are sent in parts of 1,000, one after the other, an empty one not. */
export type BatchClient<F extends FieldTypes, R extends string> = {
  /** An operation that fails does not stop the others: look at `meta.failed`. */
  batch(operations: readonly Operation<F, R>[], options?: BatchOptions): Promise<BatchResults>
  createMany(inputs: readonly CreateInput<F, R>[], options?: BatchOptions): Promise<BatchResults>
  upsertMany(inputs: readonly UpsertInput<F, R>[], options?: BatchOptions): Promise<BatchResults>
}

export function batchClient<F extends FieldTypes, R extends string>(
  connection: Connection,
  type: R,
): BatchClient<F, R> {
  const run = (operations: readonly object[], options: BatchOptions = {}) =>
    runBatch(connection, { path: `/${type}/batch`, operations, options })
  return {
    batch: run,
    createMany: (inputs, options) =>
      run(
        inputs.map((data) => ({ op: 'create', data })),
        options,
      ),
    upsertMany: (inputs, options) =>
      run(
        inputs.map(({ match, ...data }) => ({ op: 'upsert', match, data })),
        options,
      ),
  }
}

type BatchRequest = { path: string; operations: readonly object[]; options: BatchOptions }

/** The results of all parts, in the order of the operations. */
export async function runBatch(
  connection: Connection,
  { path, operations, options }: BatchRequest,
): Promise<BatchResults> {
  const { idempotencyKey, signal, ...asked } = options
  const size = asked.atomic ? operations.length : BATCH_MAX
  const data: BatchResult[] = []
  for (let first = 0; first < operations.length; first += size) {
    const body = { operations: operations.slice(first, first + size), ...asked }
    // Each part is a request of its own.
    const own = typeof idempotencyKey === 'string' && first > 0 ? `${idempotencyKey}.${first}` : idempotencyKey
    const headers = conditionsOf({ idempotencyKey: own }, true)
    const repeatable = headers['Idempotency-Key'] !== undefined
    const call = { method: 'POST', path, body, repeatable, headers, signal } as const
    const answer = await send(connection, call).catch((error: unknown) => {
      throw error instanceof KithError && first > 0 ? new BatchError(error, data) : error
    })
    // The contract defines the response of a batch.
    const results = (answer.body as BatchResults).data
    data.push(...results.map((result) => ({ ...result, index: first + result.index })))
  }
  const failed = data.filter(({ status }) => status >= 300).length
  const { atomic = false, dry_run = false } = asked
  return { data, meta: { total: data.length, succeeded: data.length - failed, failed, atomic, dry_run } }
}
