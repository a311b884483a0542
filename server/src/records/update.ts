import { isDeepStrictEqual } from 'node:util'
import type { StoredValue } from '@kith/contract/field-type'
import type { Report } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/record-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadExternalIds } from '../storage/tables/external-ids.ts'
import { findForChange, type StoredRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent } from './ask.ts'
import { type Changes, changedLabel, changedReferences, changedValues } from './changes.ts'
import {
  type Checked,
  checkClaims,
  claimsOf,
  findNamed,
  keysOf,
  lockClaims,
  reportCleared,
  reportMissing,
  reportWrong,
} from './check-input.ts'
import { type Expected, requireExpected } from './expected.ts'
import { externalIdsChange } from './external-ids/changes.ts'
import { checkExternalIds, claimedIds } from './external-ids/check.ts'
import { linkChanges } from './link-changes.ts'
import { refuseMissing } from './merge/merged-into.ts'
import { type Presented, presentRecords } from './present.ts'
import { idInPath } from './read.ts'
import { checkRecordSize } from './record-size.ts'
import { storeChanges } from './store.ts'
import { parseStored, presentValue } from './stored-values.ts'
import { writingOne } from './writing.ts'

/** Changes what is sent and keeps what is not. */
export async function updateRecord(
  scope: Scope,
  resource: Resource,
  { id, expected, ...sent }: Sent & { id: string; expected?: Expected },
): Promise<Presented> {
  requireAbilities(scope, ['update'])
  const recordId = idInPath(resource, id)
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, input, issues, report } = parseWrite(sent, { resource, definitions, creating: false })
    if (input) await lockClaims(inside, claimsOf(input.values), claimedIds(input.external_ids))
    // In the lock order: what it refers to, then the record itself.
    const [existing, current] = await Promise.all([
      input && findNamed(inside, resource, { input }),
      findForChange(inside, resource, recordId),
    ])
    if (!current) return refuseMissing(inside, resource, id)
    await requireExpected(inside, resource, { expected, current, definitions })
    const changes = input && existing && (await checkChanges(inside, resource, { current, input, existing, report }))
    refuseIfAny(issues)
    const row = changes ? await storeChanges(inside, resource, { current, changes }) : current
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

/** What an input would change of a record. Everything wrong with that is reported. */
export async function checkChanges(
  inside: Scope,
  resource: Resource,
  { current, input, existing, report }: Checked & Reported,
): Promise<Changes> {
  const stored = parseStored(current.custom_fields)
  reportNew(input.wrong, stored, report)
  const values = changedValues(stored, input.values)
  reportCleared(values, report)
  const references = changedReferences(current, input.references)
  const links = await linkChanges(inside, resource, { id: current.id, links: input.links })
  await reportMissing(inside, resource, { input, existing, report })
  const claims = claimsOf(values).filter(({ field, key }) => !keysOf(field, stored[field.key]).includes(key))
  await checkClaims(inside, { claims, except: [current.id] }, report)
  const label = changedLabel(resource, current, input)
  checkRecordSize(current, { label, values }, report)
  const external_ids = await checkSentIds(inside, resource, { current, input, report })
  return { label, references, values, links, external_ids }
}

async function checkSentIds(
  inside: Scope,
  resource: Resource,
  { current: { id }, input: { external_ids: sent }, report }: Pick<Checked, 'input'> & Reported,
): Promise<Changes['external_ids']> {
  if (sent === undefined) return undefined
  const change = externalIdsChange({ id, held: await loadExternalIds(inside, [id]), sent })
  await checkExternalIds(inside, resource, { change, sent, report })
  return change
}

type Reported = { current: StoredRecord; report: Report }

/** Reports wrong values. One that is sent as the record shows it stays, although its field became stricter. */
function reportNew(wrong: RecordInput['wrong'], stored: Readonly<Record<string, StoredValue>>, report: Report): void {
  for (const [field, value] of wrong) {
    if (!isDeepStrictEqual(value.sent, presentValue(stored[field.key], field))) reportWrong(value, report)
  }
}
