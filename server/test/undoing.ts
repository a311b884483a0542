import type { Answered, Api } from './api.ts'
import type { EveryName } from './own-resource.ts'

type Entry = { id: string; attributes: Record<string, unknown> }

/** The history of a record, the last entry first. */
export async function historyOf(api: Api, type: EveryName, id: string): Promise<Entry[]> {
  return (await api.get(`/${type}/${id}/history`)).body.data
}

/** The id of the last change of a record, which may be deleted. */
export async function lastChange(api: Api, type: EveryName, id: string): Promise<string> {
  return (await historyOf(api, type, id))[0]?.id ?? ''
}

/** The change that a response names. */
export function changeIn({ headers }: Answered): string {
  return headers.get('X-Change-Id') ?? ''
}
