import { boundedReport } from '@kith/contract/bounded-report'
import { excerpt } from '@kith/contract/excerpt'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import { isLid, LID_RULE } from './lids.ts'
import type { Operation, OperationName } from './operation.ts'
import type { RawOperation, ReadableBatch } from './parse-batch.ts'

export type Batch = {
  operations: readonly Operation[]
  atomic: boolean
  dry_run: boolean
  return: 'minimal' | 'record'
}

const keysOfBatch = ['operations', 'atomic', 'dry_run', 'return']

const keysOf: Readonly<Record<OperationName, readonly string[]>> = {
  create: ['lid', 'data'],
  update: ['id', 'if_match', 'data'],
  upsert: ['lid', 'match', 'if_match', 'if_none_match', 'data'],
  delete: ['id', 'if_match'],
}

type Parsing = {
  /** Problems of the request that are known already. */
  issues?: readonly Issue[]
  /** Whether each operation names its resource. */
  namesResource: boolean
}

/** Parses a batch. Refuses with everything that is wrong with the batch itself; its data is checked when it runs. */
export function parseOperations(
  { raw, operations }: ReadableBatch,
  { issues: known = [], namesResource }: Parsing,
): Batch {
  const issues: Issue[] = [...known]
  const { report } = boundedReport(reportInto(issues))
  reportUnknown(raw, { path: '', accepted: keysOfBatch }, report)
  const lids = new Set<string>()
  const parsed = operations.map((operation, index): Operation => {
    const path = `operations.${index}.`
    const accepted = ['op', ...(namesResource ? ['resource'] : []), ...keysOf[operation.op]]
    reportUnknown(operation.raw, { path, accepted }, report)
    return parseOne(operation, { path, lids }, report)
  })
  const batch = {
    operations: parsed,
    atomic: parseFlag(raw.atomic, 'atomic', report),
    dry_run: parseFlag(raw.dry_run, 'dry_run', report),
    return: parseReturn(raw.return, report),
  }
  refuseIfAny(issues)
  return batch
}

function reportUnknown(
  raw: Record<string, unknown>,
  { path, accepted }: { path: string; accepted: readonly string[] },
  report: Report,
): void {
  for (const key of Object.keys(raw)) {
    if (accepted.includes(key)) continue
    const sent = `${path}${excerpt(key)}`
    report(sent, `The ${sent} key is not known here. Accepted: ${accepted.join(', ')}.${suggestion(key, accepted)}`)
  }
}

type Place = { path: string; lids: Set<string> }

function parseOne({ op, resource, raw }: RawOperation, { path, lids }: Place, report: Report): Operation {
  const inOperation: Report = (name, message) => report(path + name, message)
  const lid = parseLid(raw.lid, lids, (name, problem) => inOperation(name, `The ${path}${name} ${problem}`))
  const id = op === 'update' || op === 'delete' ? parseNamed(raw.id, path, inOperation) : undefined
  const condition = (name: 'if_match' | 'if_none_match') => {
    const value = raw[name]
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
    inOperation(name, `The ${path}${name} must be a string: *, or an updated_at or ETag of the record.`)
    return undefined
  }
  const conditions = { if_match: condition('if_match'), if_none_match: condition('if_none_match') }
  return { op, resource, lid, id, ...conditions, match: raw.match, data: raw.data }
}

/** A name that no other operation has. */
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

/** The record of an update or delete: its id, or the lid of an earlier operation. */
function parseNamed(raw: unknown, path: string, report: Report): Operation['id'] {
  if (typeof raw === 'string') return raw
  if (isObject(raw) && Object.keys(raw).length === 1 && typeof raw.lid === 'string') return { lid: raw.lid }
  const problem = raw === undefined || raw === null ? 'is required' : 'is not accepted'
  report('id', `The ${path}id ${problem}: the ID of the record, or {"lid": …} of an earlier operation.`)
  return undefined
}

function parseFlag(raw: unknown, name: string, report: Report): boolean {
  if (raw === undefined || raw === null || typeof raw === 'boolean') return raw ?? false
  report(name, `The ${name} must be true or false.`)
  return false
}

function parseReturn(raw: unknown, report: Report): Batch['return'] {
  if (raw === undefined || raw === null || raw === 'minimal') return 'minimal'
  if (raw !== 'record') report('return', 'The return must be minimal or record.')
  return 'record'
}
