import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { refuseValue } from '@kith/contract/refusal'
import { type ResourceName, resourceNames } from '@kith/contract/resource'

/** The resource of this name. A name that no resource has is reported. */
export function parseResourceName(raw: unknown, report: Report, path = 'resource'): ResourceName {
  const name = resourceNames.find((known) => known === raw)
  if (name === undefined) {
    const near = suggestion(typeof raw === 'string' ? raw : '', resourceNames)
    report(path, `The ${path} must be one of: ${resourceNames.join(', ')}.${near}`)
  }
  return name ?? 'companies'
}

/** The same, but refuses at once. */
export function requireResourceName(raw: unknown, path?: string): ResourceName {
  return parseResourceName(raw, refuseValue, path)
}
