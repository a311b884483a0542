import { type Audited, type AuditedChange, type AuditedKind, auditedKinds } from '@kith/contract/app/audit'
import { excerpt } from '@kith/contract/excerpt'
import { momentOf, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { parseWhole } from '@kith/contract/whole-number'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type ListedEntry, loadAudit } from '../storage/tables/audit-log.ts'
import { loadHistory } from '../storage/tables/history.ts'
import { findHistory } from './find-history.ts'
import { presentEntries } from './present.ts'

export type AuditParams = {
  resource?: unknown
  record_id?: unknown
  page?: unknown
  per_page?: unknown
  cursor?: unknown
}

type AuditPage = { data: Audited[]; page: number; per_page: number; next_cursor: string | null }

/**
 * Who changed what, latest first. Everyone who reads a record can read its history. Owners and admins can also read
 * that of the workspace, its settings and deleted records. Pages by number, or by a cursor after the last entry.
 */
export async function listAudit(scope: Scope, params: AuditParams): Promise<AuditPage> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = []
  const report = reportInto(issues)
  const page = parseWhole(params.page, { name: 'page', max: PAGE_MAX }, report) ?? 1
  const per_page = parseWhole(params.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT
  const before = isUnsent(params.cursor) ? undefined : parseId(params.cursor)
  if (before === undefined && !isUnsent(params.cursor))
    report('cursor', 'The cursor must be the next_cursor of a page.')
  const kind = auditedKinds.find((name) => name === params.resource)
  if (kind === undefined && !isUnsent(params.resource)) report('resource', unknownKind(params.resource))
  const one = isUnsent(params.record_id) ? undefined : resourceNames.find((name) => name === kind)
  if (!isUnsent(params.record_id) && one === undefined) {
    report('record_id', `The record_id requires a resource as well: ${resourceNames.join(', ')}.`)
  }
  refuseIfAny(issues)
  // One more entry shows whether there is another page.
  const part = { before, limit: per_page + 1, offset: (page - 1) * per_page }
  return inSnapshot(scope, async (inside) => {
    const rows = one
      ? await loadRecordHistory(inside, one, {
          id: typeof params.record_id === 'string' ? params.record_id : '',
          ...part,
        })
      : await loadWorkspaceAudit(inside, kind, part)
    const shown = rows.slice(0, per_page)
    const data = await presentAudited(inside, shown)
    return { data, page, per_page, next_cursor: rows.length > per_page ? (shown.at(-1)?.id ?? null) : null }
  })
}

type Part = { before?: string; limit: number; offset: number }

async function loadRecordHistory(
  scope: Scope,
  name: ResourceName,
  { id, ...part }: Part & { id: string },
): Promise<ListedEntry[]> {
  const record_ids = await findHistory(scope, registry[name], id)
  return loadHistory(scope, { resource: name, record_ids, ...part })
}

function loadWorkspaceAudit(scope: Scope, kind: AuditedKind | undefined, part: Part): Promise<ListedEntry[]> {
  requirePermission(scope, 'read_audit_log')
  return loadAudit(scope.db, scope.workspace.id, { kinds: kind ? [kind] : auditedKinds, ...part })
}

function unknownKind(raw: unknown): string {
  const sent = typeof raw === 'string' ? raw : ''
  return `The resource ${excerpt(sent)} does not exist. Accepted: ${auditedKinds.join(', ')}.${suggestion(sent, auditedKinds)}`
}

export async function presentAudited(scope: Scope, rows: readonly ListedEntry[]): Promise<Audited[]> {
  const presented = await presentEntries(scope, rows)
  return rows.map((row, index) => presentRow(row, presented[index]))
}

function presentRow(row: ListedEntry, entry: { record_name: string | null; changes: AuditedChange[] } | undefined) {
  if (!entry) throw new Error('An entry was not presented.')
  const { record_name, changes } = entry
  const { id, actor_id, token_id } = row
  return {
    id,
    at: momentOf(id),
    actor: actor_id === null ? null : { id: actor_id, name: row.actor_name ?? '' },
    source: row.source,
    token: token_id === null ? null : { id: token_id, name: row.token_name },
    action: row.action,
    resource: row.resource,
    // The creation of a record is stored under the record's own id.
    record_id: row.record_id ?? id,
    record_name,
    changes,
  }
}
