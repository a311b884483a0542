import { excerpt } from '../excerpt.ts'
import { linkOperators } from '../filterable.ts'
import type { Report } from '../issue.ts'
import { isObject } from '../raw-input.ts'
import { EXTERNAL_IDS, type Resource } from '../resource.ts'

/** Every name that an update can have in `changed`. */
export function changedNames(resource: Resource): string[] {
  const codes = resource.fields.list.map(({ code }) => `custom_fields.${code}`)
  return [...Object.keys(resource.attributes), ...Object.keys(resource.links), EXTERNAL_IDS, ...codes]
}

const OTHERS = 'A change of another record, or another reader, would decide the match, so a feed does not take it.'

/** Reports the conditions of a parsed filter that do not depend on the record alone, each at its own path. */
export function reportOtherRecords(raw: unknown, resource: Resource, report: Report): void {
  visit(raw, 'filter', { resource, report })
}

function visit(raw: unknown, path: string, context: { resource: Resource; report: Report }): void {
  if (typeof raw !== 'object' || raw === null) return
  for (const [key, value] of Object.entries(raw)) {
    const at = `${path}.${excerpt(key)}`
    if (key === '$and' || key === '$or') {
      for (const [index, item] of Object.entries(value ?? {})) visit(item, `${at}.${index}`, context)
    } else if (key === '$not') visit(value, at, context)
    else if (key === 'assigned_to_me') context.report(at, `The filter cannot use assigned_to_me here. ${OTHERS}`)
    else if (isRelation(context.resource, key)) reportNested(value, at, context.report)
  }
}

function isRelation(resource: Resource, name: string): boolean {
  const kind = resource.filterables.get(name)?.kind
  return kind === 'record' || kind === 'member'
}

function reportNested(raw: unknown, path: string, report: Report): void {
  const nested = isObject(raw) ? Object.keys(raw).filter((key) => !linkOperators.some((one) => one === key)) : []
  for (const key of nested) {
    const accepted = `Accepted here: ${linkOperators.join(', ')}.`
    report(`${path}.${excerpt(key)}`, `The filter cannot use conditions inside a relation here. ${OTHERS} ${accepted}`)
  }
}
