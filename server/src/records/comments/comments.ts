import { type CommentObject, comment, commentChanges, mentionsIn, newComment } from '@kith/contract/comment'
import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { MATCHES_MAX, PER_PAGE_DEFAULT } from '@kith/contract/limits'
import { parseIdPage } from '@kith/contract/list-query'
import { roleMay } from '@kith/contract/permissions'
import { parseOrRefuse, refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readObject, readSent, shownOf } from '@kith/contract/shape'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { findExisting, lockRows } from '../../storage/tables/links.ts'
import { loadMemberNames } from '../../storage/tables/members.ts'
import {
  type CommentRow,
  findPart,
  loadComments,
  loadLatestComments,
  partTables,
} from '../../storage/tables/record-parts.ts'
import { findRecord } from '../../storage/tables/records.ts'
import { refuseMissing } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import {
  lockKnownPart,
  lockShownPart,
  noteParts,
  readPartRow,
  requireRecord,
  requireRestorable,
  resourceOfPart,
  storeDeletion,
  storeReturn,
  storeText,
} from '../record-parts.ts'
import { writing } from '../write-targets.ts'
import { notifyMentioned, notifyOfComment } from './notify-of-comment.ts'

/** Comments with the names of those whom they mention. */
export async function presentComments(scope: Scope, rows: readonly CommentRow[]): Promise<CommentObject[]> {
  const mentioned = rows.map((row) => mentionsIn(row.body).ids)
  const found = await loadMemberNames(scope, [...new Set(mentioned.flat())])
  const names = new Map(found.map((one) => [one.id, one]))
  return rows.map((row, index) => {
    const resource = resourceOfPart(scope, row)?.type ?? ''
    const mentions = (mentioned[index] ?? []).flatMap((id) => names.get(id) ?? [])
    return { id: row.id, type: 'comments', attributes: shownOf(comment, { ...row, resource, mentions }) }
  })
}

async function present(scope: Scope, row: CommentRow): Promise<CommentObject> {
  const [shown] = await presentComments(scope, [row])
  if (!shown) throw new Error('A comment is not shown.')
  return shown
}

type AskedPage = { id: string; raw: Readonly<Record<string, unknown>>; issues: readonly Issue[] }

/** A page of the comments on a record, the oldest first. */
export async function listComments(
  scope: Scope,
  resource: Resource,
  { id, raw, issues }: AskedPage,
): Promise<{ data: CommentObject[]; per_page: number; next_cursor: string | null; prev_cursor: null }> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const record_id = await requireRecord(inside, resource, id)
    const { place: after, per_page = PER_PAGE_DEFAULT } = parseOrRefuse(issues, (report) => parseIdPage(raw, report))
    const found = await loadComments(inside, { record_id, after, limit: per_page + 1 })
    const rows = found.slice(0, per_page)
    const next_cursor = found.length > per_page ? (rows.at(-1)?.id ?? null) : null
    return { data: await presentComments(inside, rows), per_page, next_cursor, prev_cursor: null }
  })
}

/** The latest comments on a record, in their order, with the names of their authors. */
export async function listLatestComments(
  scope: Scope,
  { record_id, limit }: { record_id: string; limit: number },
): Promise<(CommentObject & { author: string })[]> {
  const rows = (await loadLatestComments(scope, { record_id, limit })).toReversed()
  const authors = await loadMemberNames(
    scope,
    rows.flatMap(({ creator_id }) => creator_id ?? []),
  )
  const names = new Map(authors.map(({ id, name }) => [id, name]))
  return (await presentComments(scope, rows)).map((one) => {
    return { ...one, author: names.get(one.attributes.creator_id ?? '') ?? 'Someone' }
  })
}

/** A comment on a live record. */
export function readComment(scope: Scope, id: string, issues: readonly Issue[]): Promise<CommentObject> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const row = await readPartRow(inside, 'comments', id)
    refuseIfAny([...issues])
    return present(inside, row)
  })
}

type CommentInput = { id: string; body: unknown; issues: readonly Issue[] }

/** What is read and cannot be written is ignored. */
const ignoredIn = (written: object) => Object.keys(comment).filter((key) => !(key in written))

/** Adds a comment to a record. The record itself is not changed. */
export function addComment(
  scope: Scope,
  named: Resource,
  { id, body: sent, issues: known }: CommentInput,
): Promise<CommentObject> {
  requireAbilities(scope, ['create'])
  return writing(scope, async (inside) => {
    const resource = requireResource(inside.schema, named.type)
    await lockRows(inside, [{ of: resource.number, ids: [idInPath(resource, id)], mode: 'change' }])
    const record =
      (await findRecord(inside, resource, idInPath(resource, id))) ?? (await refuseMissing(inside, resource, id))
    const record_id = record.id
    const issues = [...known]
    const { body, reply_to } = readObject(sent, newComment, reportInto(issues), { ignored: ignoredIn(newComment) })
    const parent = reply_to === null ? undefined : await findPart(inside, 'comments', parseId(reply_to) ?? '')
    issues.push(...(await mentionIssues(inside, body)), ...replyIssues(record_id, { reply_to, parent }))
    refuseIfAny(issues)
    const at = inside.now()
    const time = at.toISOString()
    const row: CommentRow = {
      ...{ workspace_id: inside.workspace.id, id: newId(at.getTime()), resource: resource.number, record_id, body },
      ...{ reply_to: reply_to && (parseId(reply_to) ?? null), created_at: time, updated_at: time },
      ...{ creator_id: inside.actor.user_id, deleted_at: null },
    }
    await partTables.comments.insert(inside, row)
    await noteParts(inside, 'comments', [{ row, action: 'create', change: { kind: 'created', at: time } }])
    await notifyOfComment(inside, { resource, record, comment: row, parent })
    return present(inside, row)
  })
}

/** Only members can be mentioned, and those whom the text mentioned before. */
export async function mentionIssues(inside: Scope, body: string, before = ''): Promise<Issue[]> {
  const { ids, others } = mentionsIn(body)
  const kept = mentionsIn(before)
  const named = ids.filter((id) => !kept.ids.includes(id))
  const members = await findExisting(inside, 'users', named)
  const unknown = [...named.filter((id) => !members.has(id)), ...others.filter((name) => !kept.others.includes(name))]
  return [...new Set(unknown)].slice(0, MATCHES_MAX).map((name) => {
    const message = `The body mentions ${excerpt(name)}, which is not the ID of a member. Write @\\[ for plain text.`
    return { path: 'body', message }
  })
}

function replyIssues(
  record_id: string,
  { reply_to, parent }: { reply_to: unknown; parent: CommentRow | undefined },
): Issue[] {
  if (reply_to === null) return []
  const isThere = parent && parent.deleted_at === null && parent.record_id === record_id
  if (isThere && parent.reply_to === null) return []
  const message = isThere
    ? `The reply_to must not be a reply itself. Reply to ${parent.reply_to}.`
    : 'The reply_to must be the ID of a comment on this record.'
  return [{ path: 'reply_to', message }]
}

/** Changes the text of a comment. */
export function updateComment(scope: Scope, { id, body: sent, issues: known }: CommentInput): Promise<CommentObject> {
  requireAbilities(scope, ['update'])
  return writing(scope, async (inside) => {
    const row = await lockShownPart(inside, 'comments', id)
    requireAuthor(inside, row)
    const issues = [...known]
    const ignored = ignoredIn(commentChanges)
    const { body = row.body } = readSent(sent, commentChanges, reportInto(issues), { ignored })
    refuseIfAny([...issues, ...(await mentionIssues(inside, body, row.body))])
    return present(inside, body === row.body ? row : await storeBody(inside, row, { body }))
  })
}

/** Only its author edits a comment. */
export function requireAuthor({ actor }: Scope, { creator_id }: CommentRow): void {
  if (creator_id === actor.user_id) return
  refuse({ kind: 'forbidden', message: 'Only its author can edit a comment.' })
}

/** Gives a locked comment another text. */
export async function storeBody(
  inside: Scope,
  row: CommentRow,
  { body, undo_of }: { body: string; undo_of?: string },
): Promise<CommentRow> {
  const changed = await storeText(inside, 'comments', { row, text: ['body', row.body, body], undo_of })
  const before = mentionsIn(row.body).ids
  await notifyMentioned(
    inside,
    changed,
    mentionsIn(body).ids.filter((id) => !before.includes(id)),
  )
  return changed
}

/** Deletes a comment, but not its replies. It can be restored for 30 days. */
export function removeComment(scope: Scope, id: string, issues: readonly Issue[]): Promise<void> {
  requireAbilities(scope, ['delete'])
  return writing(scope, async (inside) => {
    const row = await lockShownPart(inside, 'comments', id)
    requireAuthorOrManager(inside, row)
    refuseIfAny([...issues])
    await storeDeletion(inside, 'comments', { row })
  })
}

/** Its author, admins and owners delete and restore a comment. */
export function requireAuthorOrManager({ actor }: Scope, { creator_id }: CommentRow): void {
  if (creator_id === actor.user_id || roleMay(actor.role, 'manage_comments')) return
  const message = 'Only its author, admins and owners can delete or restore a comment.'
  refuse({ kind: 'forbidden', message })
}

/** Restores a deleted comment. One that is not deleted is not changed. */
export function restoreComment(scope: Scope, id: string, issues: readonly Issue[]): Promise<CommentObject> {
  requireAbilities(scope, ['update'])
  return writing(scope, async (inside) => {
    const row = await lockKnownPart(inside, 'comments', id)
    if (row.deleted_at !== null) requireRestorable(inside, 'comments', row)
    requireAuthorOrManager(inside, row)
    refuseIfAny([...issues])
    return present(inside, row.deleted_at === null ? row : await storeReturn(inside, 'comments', { row }))
  })
}
