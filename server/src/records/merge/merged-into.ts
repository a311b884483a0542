import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { type MergedInto, type RefusalReason, refuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { loadMergedInto } from '../../storage/tables/merges.ts'

/** Refuses an id that no live record has, and names the record that it was merged into, if there is one. */
export async function refuseMissing(scope: Scope, resource: Resource, id: string): Promise<never> {
  return refuse({ ...notFound(resource, id), ...(await mergedIntoOf(scope, resource, id)) })
}

/** Why ids that no live record has are refused, in their order. The messages name them as they were sent. */
export async function missingReasons(
  scope: Scope,
  resource: Resource,
  sent: readonly string[],
): Promise<RefusalReason[]> {
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

/** Refuses an id that cannot be one. */
export function refuseNotFound(resource: Resource, id: string): never {
  refuse(notFound(resource, id))
}

export function notFound(resource: Resource, id: string) {
  const named = id.length > 64 ? `${id.slice(0, 64)}…` : id
  return { kind: 'not_found', message: `No ${resource.one} with the ID ${named} exists in this workspace.` } as const
}

/** The live record that a record was merged into. Only requests that fail look for it. */
export async function mergedIntoOf(
  scope: Scope,
  resource: Resource,
  id: string,
): Promise<{ merged_into?: MergedInto }> {
  const [found] = await loadMergedInto(scope, resource, [parseId(id) ?? ''])
  return found ? { merged_into: { id: found.id, type: resource.type } } : {}
}

/** Reports ids that no live record has. Those of merged records are reported with the record to use instead. */
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
