import { excerpt } from './excerpt.ts'
import type { Report } from './issue.ts'
import { type PageQuery, parsePageQuery } from './list-query.ts'
import { suggestion } from './nearest.ts'
import { isUnsent } from './raw-input.ts'
import type { ResourceName, Schema } from './resource.ts'

/** Reads the parameters of the list of custom field definitions. */
export function parseFieldListing(
  raw: Record<string, unknown>,
  schema: Schema,
  report: Report,
): PageQuery & { entity_type?: ResourceName } {
  const page = parsePageQuery(raw, ['entity_type'], report)
  return { entity_type: parseEntityType(raw.entity_type, schema, report), ...page }
}

function parseEntityType(raw: unknown, schema: Schema, report: Report): ResourceName | undefined {
  if (isUnsent(raw)) return undefined
  const sent = typeof raw === 'string' ? raw : ''
  if (schema.has(sent)) return sent
  const names = [...schema.keys()]
  const accepted = `Accepted: ${names.join(', ')}.${suggestion(sent, names)}`
  report('entity_type', `The entity_type ${excerpt(sent)} does not exist. ${accepted}`)
  return undefined
}
