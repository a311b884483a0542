import type { Report } from './issue.ts'
import { type PageQuery, parsePageQuery } from './list-query.ts'
import { parseWord } from './parse-word.ts'
import { type ResourceName, resourceNames } from './resource.ts'

/** Reads the parameters of the list of custom field definitions. */
export function parseFieldListing(
  raw: Record<string, unknown>,
  report: Report,
): PageQuery & { entity_type?: ResourceName } {
  const page = parsePageQuery(raw, ['entity_type'], report)
  return { entity_type: parseWord(raw.entity_type, { name: 'entity_type', words: resourceNames }, report), ...page }
}
