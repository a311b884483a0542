import type { View } from '@kith/contract/app/views'
import { isObject, parseJson } from '@kith/contract/raw-input'
import { allOf } from '@kith/contract/relative/all-of'
import { type Reader, resolveFilter } from '@kith/contract/relative/resolve-filter'
import { searchFilter } from '@kith/contract/relative/search-filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { userTable } from '../storage/tables/accounts.ts'
import { listViews } from './views.ts'

/** A saved view as a list of the API: the filter and sort with which its records are read now. */
type ViewQuery = Pick<View, 'id' | 'name' | 'resource' | 'shared'> & { filter?: object; sort?: string }

/** The views of the actor and the shared ones. Periods are days of the actor, and `me` is their ID. */
export async function listViewQueries(scope: Scope, resource: string | undefined): Promise<ViewQuery[]> {
  const views = await listViews(scope, { resource })
  const reader = await readerFor(scope)
  return views.flatMap((view) => {
    const shown = scope.schema.get(view.resource)
    return shown ? [queryOf(view, shown, reader)] : []
  })
}

const WEEK_STARTS: Readonly<Record<string, number>> = { monday: 1, saturday: 6, sunday: 7 }

/** Where the user leaves the first day of the week to the browser, it is Monday. */
async function readerFor(scope: Scope): Promise<Reader> {
  const me = scope.actor.user_id
  const user = await userTable.find(scope.db, { id: me })
  const timeZone = user?.time_zone ?? 'UTC'
  const formats = parseJson(user?.formats ?? '{}')
  const weekStart = (isObject(formats) && WEEK_STARTS[String(formats.first_day)]) || 1
  return { me, now: scope.now(), timeZone, weekStart }
}

/** The application wrote the state, and checks nothing in it. What a list refuses now, it explains. */
function queryOf({ id, name, resource, shared, state }: View, shown: Resource, reader: Reader): ViewQuery {
  const { filter, sort, q } = state
  const stated = isObject(filter) ? resolveFilter(filter, { resource: shown, reader }) : undefined
  const parts = [stated, searchFilter(shown, typeof q === 'string' ? q : undefined)]
  const both = allOf(parts.filter((part) => part !== undefined))
  return { id, name, resource, shared, ...(both && { filter: both }), ...(typeof sort === 'string' && { sort }) }
}
