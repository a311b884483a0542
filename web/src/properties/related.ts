import type { ResourceName } from '@kith/contract/resource'
import type { ApiRecord, IncludedObject } from '../api/records.ts'
import { nameOf } from '../api/records.ts'

/** A member or record at the other end of a relation, by name. */
export type Related = { id: string; type: string; name: string; detail?: string }

/** The records that came along with an answer, to be found by what names them. */
export type Included = ReadonlyMap<string, IncludedObject>

export function includedIn(document: { included?: readonly IncludedObject[] }): Included {
  return new Map((document.included ?? []).map((object) => [`${object.type} ${object.id}`, object]))
}

/** The same and what a change brings along. */
export function withIncluded(known: Included, added: readonly IncludedObject[] | undefined): Included {
  return added ? new Map([...known, ...includedIn({ included: added })]) : known
}

/** What a record's relation names, in its order. */
export function relatedTo(record: ApiRecord, relation: string, included: Included): Related[] {
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
  included: Included,
): ApiRecord | undefined {
  const [related] = relatedTo(record, include, included)
  const object = related && included.get(`${to} ${related.id}`)
  // Answers name the type of what they include.
  return object && ({ ...object, attributes: { custom_fields: {}, ...object.attributes } } as ApiRecord)
}
