import { createHash } from 'node:crypto'
import { lengthOf } from '@kith/contract/fold'
import { type Issue, reportInto } from '@kith/contract/issue'
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { unstorable } from '@kith/contract/text'
import { definitionsOf } from '../fields/definitions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { findKey, insertKey, type StoredKey } from '../storage/tables/idempotency-keys.ts'
import { findRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseAsked, type Sent } from './ask.ts'
import { createRecord } from './create.ts'
import { type Presented, presentRecords } from './present.ts'

const HOUR_MS = 3_600_000

type CreatedOnce = Presented & { created: boolean }

/** Creates a record. If the same user did so with the same key within a day, returns that record instead. */
export async function createRecordOnce(
  scope: Scope,
  resource: Resource,
  { key: rawKey, ...sent }: Sent & { key: string },
): Promise<CreatedOnce> {
  requireAbilities(scope, ['create'])
  const key = parseKey(rawKey)
  return inTransaction(scope, async (inside) => {
    // Of concurrent calls the first creates the record, and the others find it.
    await inside.engine.lock(inside.db, [`idempotency ${inside.workspace.id} ${inside.actor.user_id} ${key}`])
    const since = new Date(inside.now().getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString()
    const input_hash = hashOf(resource, sent.body)
    const used = await findKey(inside, key, since)
    if (used) {
      const found = await readAgain(inside, resource, { asked: sent.asked, used, input_hash })
      return Object.assign(found, { created: false })
    }
    const made = await createRecord(inside, resource, sent)
    const record_id = made.data[0]?.id
    if (record_id === undefined) throw new Error('A new record was not presented.')
    await insertKey(inside, { key, input_hash, resource: resource.type, record_id }, since)
    return Object.assign(made, { created: true })
  })
}

async function readAgain(
  inside: Scope,
  resource: Resource,
  { asked, used, input_hash }: Pick<Sent, 'asked'> & { used: StoredKey; input_hash: string },
): Promise<Presented> {
  if (used.input_hash !== input_hash) {
    refuseKey('The idempotency_key was used for another input already. Use a new key for a new record.')
  }
  const row = await findRecord(inside, resource, used.record_id)
  if (!row) {
    refuseKey(`The record that was made under this idempotency_key, ${used.record_id}, has been deleted since.`)
  }
  const issues: Issue[] = []
  const definitions = await definitionsOf(inside)
  const answer = parseAsked(asked, { resource, definitions }, reportInto(issues))
  refuseIfAny(issues)
  return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
}

function parseKey(raw: string): string {
  const problem = unstorable(raw)
  if (problem) refuseKey(`The idempotency_key ${problem}.`)
  if (raw === '' || lengthOf(raw) > IDEMPOTENCY_KEY_MAX) {
    refuseKey(`The idempotency_key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters.`)
  }
  return raw
}

function refuseKey(message: string): never {
  refuse({ kind: 'invalid', issues: [{ path: 'idempotency_key', message }] })
}

/** The same for equal inputs, whatever the order of their keys. */
function hashOf(resource: Resource, body: unknown): string {
  const text = JSON.stringify([resource.type, body], (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return createHash('sha256').update(text).digest('hex')
}
