import type { Ability } from '@kith/contract/abilities'
import { anyOperation, isLid, LID_RULE, newBatch, type OperationName, operationNames } from '@kith/contract/batch'
import { boundedReport, type Issue, type Report, reportInto } from '@kith/contract/issue'
import { BATCH_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import type { ResourceName, Schema } from '@kith/contract/resource'
import { given, readObject, readSent, word } from '@kith/contract/shape'
import type { Operation } from './operation.ts'

/** An operation of which only the kind and resource are checked. */
type RawOperation = { op: OperationName; resource: ResourceName; raw: Record<string, unknown> }

/** A body with a list of operations. Everything else is checked later. */
export type ReadableBatch = { raw: Record<string, unknown>; operations: readonly RawOperation[] }

/** Reads the operations of a body. Refuses if they are not a list of operations with known kinds and resources. */
export function readBatch(
  body: unknown,
  {
    resource,
    most = BATCH_MAX,
  }: {
    /** The resource of all operations, if the path names it. */
    resource: ResourceName | null
    most?: number
  },
): ReadableBatch {
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
    // If the path names the resource, it is not read.
    const kind = (resource ? { op } : { op, resource: named }) as { op: typeof op; resource: typeof named }
    const keys = { op: raw.op, resource: resource ? undefined : raw.resource }
    const sent = readSent(keys, kind, bounded.report, { path, whole: true })
    const type = resource ?? sent.resource
    return sent.op && type ? [{ op: sent.op, resource: type, raw }] : []
  })
  refuseIfAny(issues)
  return { raw: body, operations }
}

/** How many operations a batch has: 0 if it is refused for their number. */
export function countOperations(body: unknown): number {
  const { operations } = isObject(body) ? body : {}
  return Array.isArray(operations) && operations.length <= BATCH_MAX ? operations.length : 0
}

const abilities: Readonly<Record<OperationName, readonly Ability[]>> = {
  create: ['create'],
  update: ['update'],
  upsert: ['create', 'update'],
  delete: ['delete'],
}

export function abilitiesOf({ operations }: ReadableBatch): Ability[] {
  return abilitiesOfRaw(operations)
}

/** The abilities of a list that is not checked. Items that are not operations need none. */
export function abilitiesOfRaw(operations: readonly unknown[]): Ability[] {
  const names = operations.map((raw) => operationNames.find((name) => isObject(raw) && raw.op === name))
  return [...new Set(names.flatMap((name) => (name ? abilities[name] : [])))]
}

/** The items are checked below, because their keys depend on the operation. */
const batchBody = { ...newBatch(anyOperation), operations: given({}, []) }

export type Batch = {
  operations: readonly Operation[]
  atomic: boolean
  dry_run: boolean
  return: 'minimal' | 'record'
}

const { op, lid, id, match, if_match, if_none_match, data, resource: named } = anyOperation

const shapesOf = {
  create: { op, lid, data },
  update: { op, id, match, if_match, data },
  upsert: { op, lid, match, if_match, if_none_match, data },
  delete: { op, id, match, if_match },
} as const satisfies Record<OperationName, Partial<typeof anyOperation>>

/** Parses a batch. Refuses with all problems of the batch itself; its data is checked when it runs. */
export function parseOperations(
  { raw, operations }: ReadableBatch,
  {
    issues: known = [],
    schema,
    namesResource,
  }: {
    schema: Schema
    /** Problems of the request that are already known. */
    issues?: readonly Issue[]
    /** Whether each operation names its resource. */
    namesResource: boolean
  },
): Batch {
  const issues: Issue[] = [...known]
  const { report } = boundedReport(reportInto(issues))
  const { operations: _, ...settings } = readObject(raw, batchBody, report)
  const resource = word([...schema.keys()])
  const lids = new Set<string>()
  const parsed = operations.map((operation, index): Operation => {
    const path = `operations.${index}`
    // Only the keys that the operation takes.
    const shapes = { ...(namesResource ? { resource } : {}), ...shapesOf[operation.op] } as typeof anyOperation
    const { if_match, if_none_match } = readSent(operation.raw, shapes, report, { path, whole: true })
    const own = parseOne(operation, { path: `${path}.`, lids }, report)
    return { ...own, if_match: if_match ?? undefined, if_none_match: if_none_match ?? undefined }
  })
  refuseIfAny(issues)
  return { ...settings, operations: parsed }
}

function parseOne(
  { op, resource, raw }: RawOperation,
  { path, lids }: { path: string; lids: Set<string> },
  report: Report,
): Operation {
  const inOperation: Report = (name, message) => report(path + name, message)
  const lid = parseLid(raw.lid, lids, (name, problem) => inOperation(name, `The ${path}${name} ${problem}`))
  const { data } = raw
  if (op === 'create' || op === 'upsert') return { op, resource, lid, match: raw.match, data }
  return { op, resource, lid, ...parseNamed(raw, path, inOperation), data }
}

/** Parses a lid, which must be unique in the batch. */
function parseLid(raw: unknown, lids: Set<string>, report: Report): string | undefined {
  if (raw === undefined || raw === null) return undefined
  if (!isLid(raw)) {
    report('lid', `is not accepted. ${LID_RULE}`)
    return undefined
  }
  if (lids.has(raw)) report('lid', `${raw} is the lid of an earlier operation already.`)
  lids.add(raw)
  return raw
}

/** The record of an update or delete: its id, the lid of an earlier operation, or a value that it holds. */
function parseNamed(
  { id: raw, match }: Record<string, unknown>,
  path: string,
  report: Report,
): Pick<Operation, 'id' | 'match'> {
  if (raw === undefined || raw === null) {
    if (match !== undefined && match !== null) return { match }
    report('id', `The ${path}id is required: the ID of the record, or {"lid": …} of an earlier operation. ${OR_MATCH}`)
  } else if (match !== undefined && match !== null) {
    report('match', `The ${path}match is sent together with an id. Send one of them.`)
  } else if (typeof raw === 'string') return { id: raw }
  else if (isObject(raw) && Object.keys(raw).length === 1 && typeof raw.lid === 'string')
    return { id: { lid: raw.lid } }
  else report('id', `The ${path}id is not accepted: the ID of the record, or {"lid": …} of an earlier operation.`)
  return {}
}

const OR_MATCH = 'Instead of it, match is accepted: {"field": …, "value": …}.'
