import { reportUnknown } from './answer-options.ts'
import { boundedReport } from './bounded-report.ts'
import { excerpt } from './excerpt.ts'
import type { Report } from './issue.ts'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isUnsent } from './raw-input.ts'
import { type ResourceName, resourceNames } from './resource.ts'
import { parseWhole } from './whole-number.ts'

type FieldListing = { entity_type?: ResourceName; per_page: number; page: number }

const fieldListingParameters = ['entity_type', 'per_page', 'page'] as const

/** Reads the parameters of the list of custom field definitions. */
export function parseFieldListing(raw: Record<string, unknown>, report: Report): FieldListing {
  reportUnknown(raw, fieldListingParameters, boundedReport(report))
  return {
    entity_type: parseEntityType(raw.entity_type, report),
    per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
    page: parseWhole(raw.page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
  }
}

function parseEntityType(raw: unknown, report: Report): ResourceName | undefined {
  if (isUnsent(raw)) return undefined
  const resource = resourceNames.find((name) => name === raw)
  if (resource === undefined) {
    const sent = typeof raw === 'string' ? raw : ''
    const accepted = `Accepted: ${resourceNames.join(', ')}.${suggestion(sent, resourceNames)}`
    report('entity_type', `The entity_type ${excerpt(sent)} does not exist. ${accepted}`)
  }
  return resource
}
