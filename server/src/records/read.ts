import { parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { perResource, type Resource, type ResourceName } from '@kith/contract/resource'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { requireSmall } from '../scope/large-work.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import { forShortRead, inSnapshot, type Scope, type Tenancy } from '../scope/scope.ts'
import { findRecord, loadLiveCounts, loadVersions } from '../storage/tables/records.ts'
import { parseAsked, type RawParameters } from './expected.ts'
import { notFound, refuseMissing } from './merge/merged-into.ts'
import { type PresentedRecords, presentRecords } from './present.ts'
import { readFits } from './write-records.ts'

type ReadRequest = { id: string; asked: RawParameters }

export async function readRecord(scope: Scope, { type }: Resource, wanted: ReadRequest): Promise<PresentedRecords> {
  requireAbilities(scope, ['read'])
  return reading(scope, (inside) => readWith(inside, requireResource(inside.schema, type), wanted))
}

async function readWith(scope: Scope, resource: Resource, { id, asked }: ReadRequest): Promise<PresentedRecords> {
  const issues: Issue[] = []
  const answer = parseAsked(asked, resource, reportInto(issues))
  const fits = readFits(scope, answer.include)
  const recordId = idInPath(resource, id)
  const read = async (inside: Scope) => {
    const row = await findRecord(inside, resource, recordId)
    if (!row) return refuseMissing(inside, resource, id)
    requireSameFields(inside, row.fields_version)
    requireSmall(inside, row.custom_fields.length)
    refuseIfAny(issues)
    return presentRecords(inside, resource, { rows: [row], ...answer, fits })
  }
  // Without related records it is one statement.
  return answer.include.length === 0 ? read(forShortRead(scope)) : inSnapshot(scope, read)
}

/** The record with an id. An invalid id is not found. */
export function idInPath(resource: Resource, id: string): string {
  return parseId(id) ?? refuse(notFound(resource, id))
}

/** A number for each resource, one for the members and one for the field definitions. It grows with every change. */
export type RecordVersions = Readonly<Record<ResourceName | 'users' | 'fields', number>>

/** Reads all versions in one statement. Live updates compare them to detect changes. */
export async function recordVersions(scope: Tenancy): Promise<RecordVersions> {
  requireAbilities(scope, ['read'])
  return { ...perResource(() => 0), users: 0, fields: 0, ...(await loadVersions(scope)) }
}

/** The number of records by resource. */
export function countLive(scope: Scope): Promise<Record<ResourceName, number>> {
  requireAbilities(scope, ['read'])
  return loadLiveCounts(scope)
}
