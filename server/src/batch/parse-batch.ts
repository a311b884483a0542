import type { Ability } from '@kith/contract/abilities'
import { boundedReport } from '@kith/contract/bounded-report'
import { excerpt } from '@kith/contract/excerpt'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { BATCH_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { type OperationName, operationNames } from './operation.ts'

/** An operation of which only its kind and resource are known to be right. */
export type RawOperation = { op: OperationName; resource: ResourceName; raw: Record<string, unknown> }

/** A body that has a list of operations. Everything else is checked later. */
export type ReadableBatch = { raw: Record<string, unknown>; operations: readonly RawOperation[] }

type Reading = {
  /** The resource of all operations, if the path names it. */
  resource: ResourceName | null
  most?: number
}

/** Reads the operations of a body. Refuses if they are not a list of operations with known kinds and resources. */
export function readBatch(body: unknown, { resource, most = BATCH_MAX }: Reading): ReadableBatch {
  if (!isObject(body)) return refuseValue('body', 'The request body must be a JSON object.')
  const { operations: list } = body
  if (!Array.isArray(list) || list.length === 0 || list.length > most) {
    return refuseValue(
      'operations',
      `The operations must be a list of 1 to ${most.toLocaleString('en-US')} operations.`,
    )
  }
  const issues: Issue[] = []
  const bounded = boundedReport(reportInto(issues))
  const operations = list.flatMap((raw: unknown, index): RawOperation[] => {
    if (bounded.full()) return []
    const path = `operations.${index}`
    if (!isObject(raw)) {
      bounded.report(path, `The ${path} must be an object.`)
      return []
    }
    const op = oneOf(raw.op, { path: `${path}.op`, accepted: operationNames }, bounded.report)
    const type = resource ?? oneOf(raw.resource, { path: `${path}.resource`, accepted: resourceNames }, bounded.report)
    return op && type ? [{ op, resource: type, raw }] : []
  })
  refuseIfAny(issues)
  return { raw: body, operations }
}

type Choice<T extends string> = { path: string; accepted: readonly T[] }

function oneOf<T extends string>(raw: unknown, { path, accepted }: Choice<T>, report: Report): T | undefined {
  const found = accepted.find((name) => name === raw)
  if (found) return found
  const near = typeof raw === 'string' ? suggestion(raw, accepted) : ''
  const problem = raw === undefined || raw === null ? 'is required' : `is not ${excerpt(JSON.stringify(raw))}`
  report(path, `The ${path} ${problem}. Accepted: ${accepted.join(', ')}.${near}`)
  return undefined
}

const abilities: Readonly<Record<OperationName, readonly Ability[]>> = {
  create: ['create'],
  update: ['update'],
  upsert: ['create', 'update'],
  delete: ['delete'],
}

/** The abilities of all operations. */
export function abilitiesOf({ operations }: ReadableBatch): Ability[] {
  return [...new Set(operations.flatMap(({ op }) => abilities[op]))]
}
