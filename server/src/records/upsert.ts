import { parseMatch } from '@kith/contract/match'
import { isObject } from '@kith/contract/raw-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent, type WriteContext } from './ask.ts'
import { type Presented, presentRecords } from './present.ts'
import { checkConditions, type UpsertConditions } from './upsert-checks.ts'
import { writeAlone } from './write-set.ts'
import { writingOne } from './writing.ts'

type SentUpsert = Sent & UpsertConditions
type Upserted = Presented & { created: boolean }

/** Updates the one record that holds a value, or creates it. Upserts of one value wait for each other. */
export async function upsertRecord(scope: Scope, resource: Resource, sent: SentUpsert): Promise<Upserted> {
  requireAbilities(scope, ['create', 'update'])
  // A transaction that has begun does not wait here: what it waits for may wait for the transaction.
  if (scope.inside) return upsertInside(scope, resource, sent)
  // Queue upserts of the same value here, so that they do not each hold a connection.
  return scope.engine.inTurn(upsertTurn(scope, resource, sent), () => upsertInside(scope, resource, sent))
}

function upsertInside(scope: Scope, resource: Resource, sent: SentUpsert): Promise<Upserted> {
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, ...write } = parseUpsert(sent, { resource, definitions })
    const { row, created } = await writeAlone(inside, resource, { definitions, write })
    const presented = await presentRecords(inside, resource, { definitions, rows: [row], ...answer })
    return Object.assign(presented, { created })
  })
}

export function parseUpsert(sent: SentUpsert, context: WriteContext) {
  const { ifMatch, ifNoneMatch, body } = sent
  const parsed = parseWrite(sent, { ...context, creating: true, besides: ['match'] })
  const conditions = { ifMatch, ifNoneMatch }
  checkConditions(conditions, parsed.report)
  const fields = context.definitions[context.resource.type]
  const match = isObject(body) ? parseMatch(body.match, { fields }, parsed.report) : undefined
  return { ...parsed, op: 'upsert' as const, match, conditions }
}

/** The same for the same value in the same spelling. Other spellings wait for the lock. */
export function upsertTurn({ workspace }: Scope, { type }: Resource, { body }: { body: unknown }): string {
  const match = isObject(body) && isObject(body.match) ? body.match : {}
  // Anything but texts is refused soon.
  const texts = [match.field, match.value].map((part) =>
    typeof part === 'string' ? part.slice(0, 300).toLowerCase() : '',
  )
  return [workspace.id, type, ...texts].join(' ')
}
