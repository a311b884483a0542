import type { Definitions } from '@kith/contract/field-definition'
import type { FieldSelection } from '@kith/contract/field-selection'
import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { LoadedRelated } from '../storage/query/includes.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import type { Fits } from './answer-size.ts'
import { completeRows } from './complete-rows.ts'

export type Shown = { definitions: Definitions; fields: FieldSelection; fits: Fits }

type Completed = { records: { type: ResourceName; row: RecordRow }[]; cut: ReadonlySet<RelatedType> }

/** Related records with their custom fields, as far as the response has room. `cut` has the types with too many. */
export async function completeRelated(
  inside: Scope,
  loaded: LoadedRelated['records'],
  { definitions, fields, fits }: Shown,
): Promise<Completed> {
  const records: Completed['records'] = []
  const cut = new Set<RelatedType>()
  let bytes = 0
  for (const [type, parts] of loaded) {
    const keys = shownKeys(definitions, fields, type)
    const fitsToo = (more: number) => {
      if (!fits(bytes + more)) cut.add(type)
      return !cut.has(type)
    }
    for await (const rows of parts) {
      for (const row of await completeRows(inside, type, { rows, keys, fits: fitsToo })) {
        // A light row may hold more than is shown, but not much more.
        bytes += row.custom_fields.length
        records.push({ type, row })
      }
      if (!fitsToo(0)) break
    }
  }
  return { records, cut }
}

/** The keys of the custom fields that a response shows of a type. */
export function shownKeys(definitions: Definitions, fields: FieldSelection, type: ResourceName): ReadonlySet<string> {
  const chosen = fields.get(type)?.custom ?? 'all'
  const shown = definitions[type].list.filter((field) => chosen === 'all' || chosen.has(field.code))
  return new Set(shown.map((field) => field.key))
}
