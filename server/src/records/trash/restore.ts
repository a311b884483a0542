import type { Definitions } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import { RESTORE_DAYS } from '@kith/contract/limits'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { loadExternalIds } from '../../storage/tables/external-ids.ts'
import { findMerge, findMergeOf, loadLinked, touchLinked, touchReferring } from '../../storage/tables/merges.ts'
import { findRecord } from '../../storage/tables/records.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/trash.ts'
import { requireAbilities } from '../allow.ts'
import { linkKey, momentAfter } from '../changes.ts'
import { type Expected, requireExpected, requireExpectedTime } from '../expected.ts'
import { lockWhatIsRead } from '../lock-what-is-read.ts'
import { missingReasons, refuseMissing } from '../merge/merged-into.ts'
import { finishReferences, lockMoving, type Moving, movedEntry } from '../merge/moves.ts'
import { isTooLate, undoInside } from '../merge/undo-merge.ts'
import { type Presented, presentWritten } from '../present.ts'
import { idInPath } from '../read.ts'
import { finishWrite, storeReturns } from '../store.ts'
import { writing } from '../writing.ts'
import { claimsOfRows, refuseTaken } from './claims.ts'
import { restorableSince } from './trash.ts'

type Sought = { id: string; expected?: Expected; issues?: readonly Issue[] }

/**
 * Makes a deleted record live again, with the references and links to it. A record that was merged into another one
 * returns by undoing the merge. A live record stays as it is.
 */
export async function restoreRecord(
  scope: Scope,
  resource: Resource,
  { id, expected, issues = [] }: Sought,
): Promise<Presented> {
  requireAbilities(scope, ['update', 'delete'])
  const recordId = idInPath(resource, id)
  return writing(scope, async (inside, definitions) => {
    await restoreInside(inside, resource, { definitions, id: recordId, expected, issues })
    return presentWritten(inside, resource, { definitions, id: recordId })
  })
}

type Restoring = Sought & { definitions: Definitions; issues: readonly Issue[] }

async function restoreInside(inside: Scope, resource: Resource, restoring: Restoring): Promise<void> {
  const { definitions, id, issues } = restoring
  const merge = await findMergeOf(inside, id)
  if (merge !== undefined) return undoMergeOf(inside, resource, { ...restoring, merge })
  const fields = definitions[resource.type].list
  const { row, externalIds } = await lockWhatIsRead(
    inside,
    async () => {
      const [row, externalIds] = await Promise.all([findAnyRow(inside, resource, id), loadExternalIds(inside, [id])])
      return { row, externalIds }
    },
    (seen) => ({
      claims: claimsOfRows(fields, [seen.row]),
      externalIds: seen.externalIds,
      rows: [{ table: resource.type, ids: [seen.row.id], mode: 'alone' }],
    }),
  )
  if (row.deleted_at === null) return checkLive(inside, resource, restoring)
  // Another request may have restored it meanwhile and merged it into another record.
  if ((await findMergeOf(inside, id)) !== undefined) throw new Conflict()
  if (row.deleted_at <= restorableSince(inside)) refuseTooLate(resource, row)
  requireExpectedTime(resource, restoring.expected, row)
  refuseIfAny([...issues])
  await refuseTaken(inside, resource, { claims: claimsOfRows(fields, [row]), externalIds, except: [row.id] })
  // Deleted ones as well: one that is restored at the same time must see this record, or be seen here.
  const referring = await lockMoving(inside, resource, { winner_id: row.id, loser_ids: [row.id] })
  await storeReturns(inside, resource, [row])
  await storeReadableAgain(inside, referring, row.id)
}

async function checkLive(
  inside: Scope,
  resource: Resource,
  { definitions, id, expected, issues }: Restoring,
): Promise<void> {
  const current = await findRecord(inside, resource, id)
  if (current) await requireExpected(inside, resource, { expected, current, definitions })
  refuseIfAny([...issues])
}

async function undoMergeOf(
  inside: Scope,
  resource: Resource,
  { definitions, id, expected, issues, merge }: Restoring & { merge: string },
): Promise<void> {
  const row = await findAnyRow(inside, resource, id)
  const found = await findMerge(inside, merge)
  if (found && isTooLate(inside, found)) {
    const message = `The ${resource.one} with the ID ${id} was merged on ${found.created_at.slice(0, 10)} ${TOO_LATE}`
    const [missing] = await missingReasons(inside, resource, [id])
    refuse({ ...missing, kind: 'not_found', message })
  }
  // The time of a deleted record stays. If the merge is undone meanwhile, the transaction restarts.
  requireExpectedTime(resource, expected, row)
  refuseIfAny([...issues])
  await undoInside(inside, definitions, merge)
}

async function findAnyRow(inside: Scope, resource: Resource, id: string): Promise<DeletedRow> {
  const [row] = await loadAnyRows(inside, resource, [id])
  return row ?? refuseMissing(inside, resource, id)
}

function refuseTooLate(resource: Resource, { id, deleted_at }: DeletedRow): never {
  const message = `The ${resource.one} with the ID ${id} was deleted on ${deleted_at?.slice(0, 10)} ${TOO_LATE}`
  refuse({ kind: 'not_found', message })
}

const TOO_LATE = `and can no longer be restored: the trash keeps records for ${RESTORE_DAYS} days.`

/** A record is back: a new time and an entry for each live record whose reference or link to it is readable again. */
async function storeReadableAgain(inside: Scope, { references, links }: Moving, id: string): Promise<void> {
  for (const { referring, column, rows } of references) {
    if (rows.every((row) => row.deleted_at !== null)) continue
    const at = momentAfter(inside, rows)
    await touchReferring(inside, { resource: referring, column, id }, at)
    await finishReferences(inside, referring, { rows, at, changeOf: () => [column, null, id] })
  }
  const linking = new Set(links.map((link) => link.from_type))
  for (const resource of resources.filter(({ type }) => linking.has(type))) {
    await storeLinkedAgain(inside, resource, { id, links })
  }
}

async function storeLinkedAgain(
  inside: Scope,
  resource: Resource,
  { id, links }: { id: string; links: Moving['links'] },
): Promise<void> {
  const { type } = resource
  const linked = { type, to_id: id }
  const live = await loadLinked(inside, linked)
  if (live.length === 0) return
  const at = momentAfter(inside, live)
  await touchLinked(inside, linked, at)
  const relations = Map.groupBy(links, (link) => link.from_id)
  const entries = live.map((row) => {
    const own = relations.get(row.id) ?? []
    const changes = own.map(({ relation }): Change => [linkKey(resource, relation), [], [id]])
    return movedEntry(type, { record_id: row.id, at }, changes)
  })
  await finishWrite(inside, type, { entries })
}
