import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { type ResourceName, resourceNames } from '@kith/contract/resource'

/** The resource that is meant; what is none of them is reported. */
export function parseResourceName(raw: string, report: Report, path = 'resource'): ResourceName {
  const name = resourceNames.find((known) => known === raw)
  if (name === undefined) {
    report(path, `The ${path} must be one of: ${resourceNames.join(', ')}.${suggestion(raw, resourceNames)}`)
  }
  return name ?? 'companies'
}
