import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { definitionsOf } from '../fields/definitions.ts'
import type { Scope } from '../scope/scope.ts'
import { findRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseAsked, parseWrite, type Sent, type WriteContext } from './ask.ts'
import { keyedCall, once, refuseKey } from './once.ts'
import { type Presented, presentRecords } from './present.ts'
import { writeAlone } from './write-set.ts'
import { writingOne } from './writing.ts'

export async function createRecord(scope: Scope, resource: Resource, sent: Sent): Promise<Presented> {
  requireAbilities(scope, ['create'])
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, ...write } = parseCreate(sent, { resource, definitions })
    const { row } = await writeAlone(inside, resource, { definitions, write })
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

export function parseCreate(sent: Sent, context: WriteContext) {
  return { ...parseWrite(sent, { ...context, creating: true }), op: 'create' as const }
}

type CreatedOnce = Presented & { created: boolean }

/**
 * Creates a record. If the same user did so with the same key within a day, returns that record instead, as it is now.
 */
export async function createRecordOnce(
  scope: Scope,
  resource: Resource,
  { key, ...sent }: Sent & { key: string },
): Promise<CreatedOnce> {
  requireAbilities(scope, ['create'])
  return once<CreatedOnce>(scope, {
    keyed: keyedCall(scope, key, { tool: 'create_record', input: [resource.type, sent.body] }),
    group: resource.type,
    async work(inside) {
      const made = await createRecord(inside, resource, sent)
      const record_id = made.data[0]?.id
      if (record_id === undefined) throw new Error('A new record was not presented.')
      const response = { status: 201, headers: '{}', body: record_id }
      return { value: Object.assign(made, { created: true }), response }
    },
    async replay(inside, { body }) {
      const found = await readAgain(inside, resource, { asked: sent.asked, id: body ?? '' })
      return Object.assign(found, { created: false })
    },
    refuseOther: () =>
      refuseKey('The idempotency_key was used for another input already. Use a new key for a new record.'),
  })
}

async function readAgain(
  inside: Scope,
  resource: Resource,
  { asked, id }: Pick<Sent, 'asked'> & { id: string },
): Promise<Presented> {
  const row = await findRecord(inside, resource, id)
  if (!row) refuseKey(`The record that was made under this idempotency_key, ${id}, has been deleted since.`)
  const definitions = await definitionsOf(inside)
  const answer = parseOrRefuse([], (report) => parseAsked(asked, { resource, definitions }, report))
  return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
}
