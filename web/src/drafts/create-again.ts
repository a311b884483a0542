import type { PropertyChange } from '../api/patch-record.ts'
import { type ApiRecord, nameOf, type RecordDocument } from '../api/records.ts'
import type { Property } from '../properties/property.ts'
import { customChange, linksChange, nameChange, referenceChange } from '../properties/property-change.ts'
import { type IncludedRecords, includedIn, relatedTo } from '../properties/related.ts'
import { type Draft, NEW } from './draft-store.ts'
import { putDraft, removeDraft } from './drafts.ts'
import { bothChanges, nothing } from './new-record.ts'

/** Creates a deleted record again: with its values and relations, and with the unsaved changes to them. */
export function createAgain(of: {
  slug: string
  one: string
  document: RecordDocument
  properties: readonly Property[]
  typed: readonly Draft[]
}): void {
  const { slug, one, document, properties, typed } = of
  const { data: record } = document
  const before = properties.map((property) => writtenValue(property, record, includedIn(document)))
  const change = [...before, ...typed.map((draft) => draft.change)].reduce(bothChanges, nothing)
  const name = nameOf({ attributes: change.shown })
  const place = { slug, resource: record.type, id: NEW, property: `again ${record.id}` }
  putDraft({ ...place, label: `New ${one}`, name, change, told: { message: `Created ${name}` }, state: 'waiting' })
  for (const draft of typed) removeDraft(draft)
}

/** A value as it is written for another record. What the service computes is left out. */
function writtenValue(property: Property, record: ApiRecord, included: IncludedRecords): PropertyChange {
  const { custom_fields } = record.attributes
  if (property.kind === 'name') return nameChange(property, nameOf(record))
  if (property.kind === 'custom') {
    const value = custom_fields[property.field.code] ?? null
    return value === null ? nothing : customChange(property.field, value)
  }
  if (property.kind === 'links') return linksChange(property, relatedTo(record, property.include, included))
  if (property.kind === 'reference') {
    return referenceChange(property, relatedTo(record, property.include, included)[0])
  }
  return nothing
}
