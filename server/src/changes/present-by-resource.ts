import type { Issue } from '@kith/contract/issue'
import { reportInto } from '@kith/contract/issue'
import { parseFilter } from '@kith/contract/parse-filter'
import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { definitionsAt } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import type { Entry } from './entry.ts'
import { presentChanges } from './present-changes.ts'

/** How a reader of all resources wants its entries: filters and names by resource, as a webhook has them. */
export type ShapingByResource = {
  filter: Readonly<Record<string, unknown>>
  changed: Readonly<Record<string, readonly string[]>>
  thin: boolean
}

/**
 * Entries with their records as they are now. Those that are not for this reader are missing. Undefined if a filter is
 * no longer valid, because a field or an option that it names is gone.
 */
export function presentByResource(
  scope: Scope,
  entries: readonly Entry[],
  { filter, changed, thin }: ShapingByResource,
): Promise<Entry[] | undefined> {
  return inSnapshot(scope, async (inside) => {
    const { fields_version } = await loadFeedHead(inside)
    const definitions = await definitionsAt(inside, fields_version)
    const shown: Entry[] = []
    for (const [type, own] of Map.groupBy(entries, ({ attributes }) => attributes.resource)) {
      const name = resourceNames.find((one) => one === type)
      const issues: Issue[] = []
      const context = name && { resource: registry[name], definitions, loose: false }
      const condition = context && parseFilter(filter[type], context, reportInto(issues))
      if (issues.length > 0) return undefined
      const names = changed[type]
      const shaping = { filter: condition, changed: names && new Set(names), thin, fields: new Map(), definitions }
      shown.push(...(await presentAll(inside, own, shaping)))
    }
    return shown
  })
}

type Shaping = Parameters<typeof presentChanges>[2]

/** Large records are presented in several steps. */
async function presentAll(inside: Scope, entries: readonly Entry[], shaping: Shaping): Promise<Entry[]> {
  const shown: Entry[] = []
  for (let done = 0; done < entries.length; ) {
    const { entries: some, covered } = await presentChanges(inside, entries.slice(done), shaping)
    shown.push(...some)
    done += covered
  }
  return shown
}
