import type { Definitions } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readingFields, requireSameFields } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { findRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { type Asked, parseAsked } from './ask.ts'
import { notFound, refuseMissing } from './merge/merged-into.ts'
import { type Presented, presentRecords } from './present.ts'
import { readFits } from './write-records.ts'

type Wanted = { id: string; asked: Asked }

export async function readRecord(scope: Scope, resource: Resource, wanted: Wanted): Promise<Presented> {
  requireAbilities(scope, ['read'])
  return readingFields(scope, (inside, definitions) => readWith(inside, resource, { ...wanted, definitions }))
}

async function readWith(
  scope: Scope,
  resource: Resource,
  { id, asked, definitions }: Wanted & { definitions: Definitions },
): Promise<Presented> {
  const issues: Issue[] = []
  const answer = parseAsked(asked, { resource, definitions }, reportInto(issues))
  const fits = readFits(scope, answer.include)
  const recordId = idInPath(resource, id)
  const read = async (inside: Scope) => {
    const row = await findRecord(inside, resource, recordId)
    if (!row) return refuseMissing(inside, resource, id)
    requireSameFields(inside, row.fields_version)
    refuseIfAny(issues)
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer, fits })
  }
  // Without related records it is one statement.
  return answer.include.length === 0 ? read(scope) : inSnapshot(scope, read)
}

/** An id that cannot be one is simply not found. */
export function idInPath(resource: Resource, id: string): string {
  return parseId(id) ?? refuse(notFound(resource, id))
}
