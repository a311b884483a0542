import type { stamps } from '@kith/contract/declare'
import type { WireValue } from '@kith/contract/field-type'
import type { ResourceName } from '@kith/contract/resource'
import type { QueryClient } from '@tanstack/react-query'

/** A record as any answer of the API shows it, whatever its resource. */
export type ApiRecord = {
  id: string
  type: ResourceName
  attributes: Record<string, unknown> &
    Record<keyof typeof stamps, string> & {
      custom_fields: Record<string, WireValue>
      /** The ids of other systems, where they were asked for. */
      external_ids?: Record<string, readonly string[]>
    }
  relationships?: Record<string, { data: Linkage }>
}

type Identifier = { id: string; type: string }
export type Linkage = Identifier | Identifier[] | null

/** A record or a user that came along with others. */
export type IncludedObject = { id: string; type: string; attributes: Record<string, unknown> }

export type RecordDocument = { data: ApiRecord; included?: IncludedObject[] }

export type RecordPage = {
  data: ApiRecord[]
  included?: IncludedObject[]
  meta: { total: number; current_page: number; last_page: number; per_page: number }
}

/** The name of a record or user: every resource calls it name or title. */
export function nameOf({ attributes }: { attributes: Record<string, unknown> }): string {
  const name = attributes.name ?? attributes.title
  return typeof name === 'string' ? name : ''
}

/** The keys of everything that is remembered about the records of a resource; live updates call by them. */
export function recordsKey(slug: string, resource: string): readonly unknown[] {
  return [slug, 'records', resource]
}

/** The key of the timelines of records, which also show the notes and tasks that are linked to them. */
export function activityKey(slug: string): readonly unknown[] {
  return [slug, 'activity']
}

/** Loads again what is on the screen of the records of a resource. */
export async function refreshRecords(queries: QueryClient, slug: string, resource: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: recordsKey(slug, resource) }),
    queries.invalidateQueries({ queryKey: activityKey(slug) }),
  ])
}
