import { expect } from 'vitest'
import type { PresentedRecords, ResourceObject } from '../../../src/records/present.ts'

/** The parts of a response agree. */
export function expectAgreement({ data, included = [] }: PresentedRecords, { filter }: Record<string, unknown>): void {
  const byId = new Map(included.map((record) => [record.id, record]))
  for (const record of data()) {
    const { attributes, relationships = {} } = record
    if ('company' in relationships) {
      const company = relationships.company?.data ?? null
      expect(company === null || Array.isArray(company) ? null : company.id).toBe(attributes.company_id)
    }
    for (const { data: linked } of Object.values(relationships)) {
      for (const { id } of [linked ?? []].flat()) expect(byId.has(id), id).toBe(true)
    }
    if ('people' in relationships) {
      const people = [relationships.people?.data ?? []].flat().map(({ id }) => id)
      const theirs = included.filter((one) => one.type === 'people' && one.attributes.company_id === record.id)
      expect(people).toEqual(theirs.map(({ id }) => id))
      expect(attributes.people_count).toBe(people.length)
    }
    if (filter) expectMatch(record, byId, filter)
  }
}

function expectMatch(record: ResourceObject, byId: ReadonlyMap<string, ResourceObject>, filter: unknown): void {
  const text = JSON.stringify(filter)
  const isVip = customOf(record).vip === true
  if (text.includes('vip')) expect(isVip).toBe(!text.includes('$not'))
  if (text.includes('Acme')) expect(byId.get(String(record.attributes.company_id))?.attributes.name).toBe('Acme')
}

export function customOf({ attributes }: ResourceObject): Record<string, unknown> {
  // Every record that is shown whole carries its values by code.
  return attributes.custom_fields as Record<string, unknown>
}
