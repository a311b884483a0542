import { resourceNames } from '@kith/contract/resource'
import { type WhoAmI, whoAmI } from '../accounts/who-am-i.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import { countLive } from '../records/versions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'

type WorkspaceSummary = WhoAmI & {
  resources: { resource: string; records: number; custom_fields: string[] }[]
}

/** A short summary of the workspace. */
export async function summarizeWorkspace(scope: Scope): Promise<WorkspaceSummary> {
  requireAbilities(scope, ['read'])
  const definitions = await definitionsOf(scope)
  const [who, counts] = await inSnapshot(
    scope,
    async (inside) => [await whoAmI(inside), await countLive(inside)] as const,
  )
  return {
    ...who,
    resources: resourceNames.map((resource) => ({
      resource,
      records: counts[resource],
      custom_fields: definitions[resource].list.map(({ code }) => code),
    })),
  }
}
