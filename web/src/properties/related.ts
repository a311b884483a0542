import type { ResourceName } from '@kith/contract/resource'
import { type ApiRecord, type IncludedObject, nameOf } from '../api/records.ts'

/** A member or record at the other end of a relation, by name. */
export type RelatedRecord = { id: string; type: string; name: string; detail?: string }

/** The records that came along with an answer, by type and id. */
export type IncludedRecords = ReadonlyMap<string, IncludedObject>

export function includedIn(document: { included?: readonly IncludedObject[] }): IncludedRecords {
  return new Map((document.included ?? []).map((object) => [`${object.type} ${object.id}`, object]))
}

/** The same with the records of a change. */
export function withIncluded(known: IncludedRecords, added: readonly IncludedObject[] | undefined): IncludedRecords {
  return added ? new Map([...known, ...includedIn({ included: added })]) : known
}

/** The records of a relation, in their order. */
export function relatedTo(record: ApiRecord, relation: string, included: IncludedRecords): RelatedRecord[] {
  const { data = null } = record.relationships?.[relation] ?? {}
  const identifiers = Array.isArray(data) ? data : data === null ? [] : [data]
  return identifiers.map(({ id, type }) => {
    const object = included.get(`${type} ${id}`)
    return { id, type, name: object ? nameOf(object) : '' }
  })
}

/** The record that a reference names, as far as it came along. */
export function relatedRecord(
  record: ApiRecord,
  { include, to }: { include: string; to: ResourceName },
  included: IncludedRecords,
): ApiRecord | undefined {
  const [related] = relatedTo(record, include, included)
  const object = related && included.get(`${to} ${related.id}`)
  // Answers name the type of included records.
  return object && ({ ...object, attributes: { custom_fields: {}, ...object.attributes } } as ApiRecord)
}
