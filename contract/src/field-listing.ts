import { excerpt } from './excerpt.ts'
import type { Report } from './issue.ts'
import { type PageQuery, parsePageQuery } from './list-query.ts'
import { suggestion } from './nearest.ts'
import { isUnsent } from './raw-input.ts'
import { type ResourceName, resourceNames } from './resource.ts'

/** Reads the parameters of the list of custom field definitions. */
export function parseFieldListing(
  raw: Record<string, unknown>,
  report: Report,
): PageQuery & { entity_type?: ResourceName } {
  const page = parsePageQuery(raw, ['entity_type'], report)
  return { entity_type: parseEntityType(raw.entity_type, report), ...page }
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
