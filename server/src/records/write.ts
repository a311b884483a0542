import { parseMatch } from '@kith/contract/match'
import { isObject } from '@kith/contract/raw-input'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { requireAbilities } from '../scope/permissions.ts'
import type { Scope } from '../scope/scope.ts'
import { type Precondition, parseWrite, type WriteContext, type WriteRequest } from './expected.ts'
import { type PresentedRecords, presentRecords } from './present.ts'
import { idInPath } from './read.ts'
import { writeAlone } from './write-set.ts'
import { checkConditions, type NamedRecord, type UpsertConditions, writingOne } from './write-targets.ts'

type SentUpsert = WriteRequest & UpsertConditions

type UpsertedRecord = PresentedRecords & { created: boolean }

/** Updates the one record that holds a value, or creates it. Upserts of the same value wait for each other. */
export async function upsertRecord(scope: Scope, resource: Resource, sent: SentUpsert): Promise<UpsertedRecord> {
  requireAbilities(scope, ['create', 'update'])
  // Do not wait here inside a transaction: the other upsert may wait for this transaction.
  if (scope.inside) return upsertInside(scope, resource, sent)
  // Queue upserts of the same value here, so that they do not each hold a connection.
  return scope.engine.inTurn(upsertTurn(scope, resource.type, sent), () => upsertInside(scope, resource, sent))
}

function upsertInside(scope: Scope, resource: Resource, sent: SentUpsert): Promise<UpsertedRecord> {
  return writingOne(scope, resource, async (inside, resource) => {
    const { answer, ...write } = parseUpsert(sent, { resource })
    const { row, created } = await writeAlone(inside, resource, write)
    const presented = await presentRecords(inside, resource, { rows: [row], ...answer })
    return { ...presented, created }
  })
}

export function parseUpsert(sent: SentUpsert, context: WriteContext) {
  const { ifMatch, ifNoneMatch, body } = sent
  const parsed = parseWrite(sent, { ...context, creating: true, besides: ['match'] })
  const conditions = { ifMatch, ifNoneMatch }
  checkConditions(conditions, parsed.report)
  const fields = context.resource.fields
  const match = isObject(body) ? parseMatch(body.match, { fields }, parsed.report) : undefined
  return { ...parsed, op: 'upsert' as const, match, conditions }
}

/** Equal for the same value in the same spelling. Other spellings wait for the lock. */
export function upsertTurn({ workspace }: Scope, type: ResourceName, { body }: { body: unknown }): string {
  const match = isObject(body) && isObject(body.match) ? body.match : {}
  // Values other than texts are refused later.
  const texts = [match.field, match.value].map((part) =>
    typeof part === 'string' ? part.slice(0, 300).toLowerCase() : '',
  )
  return [workspace.id, type, ...texts].join(' ')
}

/** `automatic`: the application has saved by itself. */
type SentUpdate = WriteRequest & { expected?: Precondition; automatic?: boolean | undefined }

/** Changes the sent attributes and keeps the others. */
export async function updateRecord(
  scope: Scope,
  resource: Resource,
  sent: SentUpdate & { id: string },
): Promise<PresentedRecords> {
  requireAbilities(scope, ['update'])
  const { id: sent_id, ...rest } = sent
  const named = { id: idInPath(resource, sent_id), sent_id }
  return writingOne(scope, resource, async (inside, resource) => {
    const { answer, ...write } = parseUpdate(rest, { resource }, named)
    const { row } = await writeAlone(inside, resource, write)
    return presentRecords(inside, resource, { rows: [row], ...answer })
  })
}

export function parseUpdate({ expected, automatic, ...sent }: SentUpdate, context: WriteContext, named: NamedRecord) {
  return { ...parseWrite(sent, { ...context, creating: false }), op: 'update' as const, expected, automatic, ...named }
}

export async function createRecord(scope: Scope, resource: Resource, sent: WriteRequest): Promise<PresentedRecords> {
  requireAbilities(scope, ['create'])
  return writingOne(scope, resource, async (inside, resource) => {
    const { answer, ...write } = parseCreate(sent, { resource })
    const { row } = await writeAlone(inside, resource, write)
    return presentRecords(inside, resource, { rows: [row], ...answer })
  })
}

export function parseCreate(sent: WriteRequest, context: WriteContext) {
  return { ...parseWrite(sent, { ...context, creating: true }), op: 'create' as const }
}
