import { type BuiltInName, resourceIn } from '@kith/contract/resource'
import { sql } from '../src/storage/engines/sql.ts'
import { isStored } from './stored-rows.ts'
import type { TestWorkspace } from './workspace.ts'

/** How many fields `big_1` and so on a record needs to become larger than a record may be. */
export const BIG_FIELDS = 5
/** As many characters as one field takes. */
export const BIG = 262_144

export async function bigFields(workspace: TestWorkspace, resource: BuiltInName): Promise<void> {
  for (let n = 1; n <= BIG_FIELDS; n++) await workspace.field(resource, { name: `Big ${n}`, type: 'rich-text' })
}

/** Values for `big_1` and so on. */
export function bigValues(lengths: readonly number[], letter = 'x'): Record<string, string> {
  return Object.fromEntries(lengths.map((length, index) => [`big_${index + 1}`, letter.repeat(length)]))
}

/** Gives values to a record past all checks and indexes: as if it had had them since before there was a limit. */
export async function storeBehind(
  workspace: TestWorkspace,
  resource: BuiltInName,
  { ids, values }: { ids: readonly string[]; values: Readonly<Record<string, string>> },
): Promise<void> {
  const scope = await workspace.scope()
  const { byCode } = resourceIn(scope.schema, resource).fields
  const keyed = Object.entries(values).map(([code, value]) => [byCode.get(code)?.key ?? code, value])
  const json = JSON.stringify(Object.fromEntries(keyed))
  await workspace.runtime.engine.transaction(async (inside) => {
    await sql`update records set custom_fields = ${json}
      where ${isStored(workspace.id, resource)} and id in (${sql.join(ids)})`.run(inside)
  })
}
