import type { Role } from '@kith/contract/abilities'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { type Created, findCreator } from '../storage/tables/members.ts'
import { accessOf } from './subscription.ts'

/** `paused`: not now. `none`: the creator has left, or the workspace is gone. */
type CreatorRights = { workspace: ScopeFacts['workspace']; role: Role } | 'paused' | 'none'

/** The rights that the creator of a job or webhook has at that moment. Both run with them. */
export async function creatorRights(
  db: Db,
  created: Created,
  { hosted, now }: { hosted: boolean; now: Date },
): Promise<CreatorRights> {
  const creator = await findCreator(db, created)
  if (!creator || creator.role === null) return 'none'
  if (accessOf(creator, now, hosted) === 'paused') return 'paused'
  const { id, slug, name, fields_version } = creator
  return { workspace: { id, slug, name, fields_version }, role: creator.role }
}
