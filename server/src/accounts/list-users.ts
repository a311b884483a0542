import { parsePageQuery } from '@kith/contract/list-query'
import { parseOrRefuse } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { presentUser, type ResourceObject } from '../records/present.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { countMembers, loadMemberPage } from '../storage/tables/members.ts'

type ListedUsers = { data: ResourceObject[]; page: number; per_page: number; total: number }

/** One page of the members of the workspace, by id. */
export async function listUsers(scope: Scope, asked: Asked): Promise<ListedUsers> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parseOrRefuse(asked.issues, (report) => parsePageQuery(asked.raw, [], report))
  return inSnapshot(scope, async ({ db, workspace }) => {
    const rows = await loadMemberPage(db, workspace.id, { offset: (page - 1) * per_page, limit: per_page })
    const data = rows.map((row) => presentUser(row, new Map()))
    return { data, page, per_page, total: await countMembers(db, workspace.id) }
  })
}
