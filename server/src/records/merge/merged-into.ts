import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { type RefusalReason, refuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { loadMergedInto } from '../../storage/tables/merges.ts'

/** Refuses an id without a live record. Names the record that it was merged into, if there is one. */
export async function refuseMissing(scope: Scope, resource: Resource, id: string): Promise<never> {
  const [reason = notFound(resource, id)] = await missingReasons(scope, resource, [id])
  return refuse(reason)
}

/** Why ids without a live record are refused, in their order. The messages show the ids as they were sent. */
export async function missingReasons(scope: Scope, resource: Resource, sent: readonly string[]): Promise<NotFound[]> {
  const ids = sent.map((id) => parseId(id) ?? '')
  const merged = new Map((await loadMergedInto(scope, resource, ids)).map((one) => [one.old_id, one.id]))
  return sent.map((id, index) => {
    const now = merged.get(ids[index] ?? '')
    return {
      ...notFound(resource, id),
      ...(now === undefined ? {} : { merged_into: { id: now, type: resource.type } }),
    }
  })
}

type NotFound = Extract<RefusalReason, { kind: 'not_found' }>

export function notFound(resource: Resource, id: string): NotFound {
  const named = id.length > 64 ? `${id.slice(0, 64)}…` : id
  return { kind: 'not_found', message: `No ${resource.one} with the ID ${named} exists in this workspace.` }
}

/** Reports ids without a live record. For merged records, names the record to use instead. */
export async function reportMerged(
  scope: Scope,
  resource: Resource,
  missing: readonly { path: string; id: string; message: string; report: Report }[],
): Promise<void> {
  const ids = [...new Set(missing.map(({ id }) => id))]
  const merged = new Map((await loadMergedInto(scope, resource, ids)).map((one) => [one.old_id, one.id]))
  for (const { path, id, message, report } of missing) {
    const now = merged.get(id)
    report(path, now === undefined ? message : mergedMessage(resource, id, now))
  }
}

export function mergedMessage({ one }: Resource, id: string, now: string): string {
  return `The ${one} ${id} was merged into ${now}; use that ID.`
}
