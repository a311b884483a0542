import { newId } from '@kith/contract/id'
import type { RecordInput } from '@kith/contract/record-input'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent } from './ask.ts'
import { checkNewRecord, claimsOf, findNamed, lockClaims } from './check-input.ts'
import { claimedIds } from './external-ids/check.ts'
import { type Presented, presentRecords } from './present.ts'
import { storeNew } from './store.ts'
import { givenValues } from './stored-values.ts'
import { writingOne } from './writing.ts'

export async function createRecord(scope: Scope, resource: Resource, sent: Sent): Promise<Presented> {
  requireAbilities(scope, ['create'])
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, input, issues, report } = parseWrite(sent, { resource, definitions, creating: true })
    if (!input) return refuse({ kind: 'invalid', issues })
    await lockClaims(inside, claimsOf(input.values), claimedIds(input.external_ids))
    const existing = await findNamed(inside, resource, { input })
    const fields = definitions[resource.type].list
    await checkNewRecord(inside, resource, { fields, input, existing, report })
    refuseIfAny(issues)
    const row = await insertRecord(inside, resource, input)
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

/** Stores a checked input as a new record. */
export async function insertRecord(inside: Scope, resource: Resource, input: RecordInput): Promise<RecordRow> {
  const now = inside.now()
  const { source } = inside.actor
  const [row] = await storeNew(inside, resource, [
    {
      id: newId(now.getTime()),
      label: input.label ?? '',
      references: input.references,
      creation_source: source === 'cli' ? 'import' : source,
      created_at: now.toISOString(),
      values: givenValues(input.values),
      links: linksOf(resource, input),
      external_ids: input.external_ids,
    },
  ])
  if (!row) throw new Error('A new record was not stored.')
  return row
}

function linksOf(resource: Resource, { links }: RecordInput) {
  return [...links].flatMap(([key, ids]) => {
    const relation = resource.links[key]?.relation ?? key
    return [...new Set(ids)].map((to_id) => ({ relation, to_id }))
  })
}
