import { type Audited, auditedKinds } from '@kith/contract/app/audit'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isUnsent, parseWhole } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadAudit } from '../storage/tables/audit-log.ts'
import { presentAudited } from './present.ts'

export type AuditParams = { resource?: unknown; per_page?: unknown; cursor?: unknown }

type AuditPage = { data: Audited[]; per_page: number; next_cursor: string | null }

/** Who changed what in the workspace, its settings and deleted records among it, latest first. */
export async function listAudit(scope: Scope, params: AuditParams): Promise<AuditPage> {
  requireAbilities(scope, ['read'])
  const { kinds, before, per_page } = parseOrRefuse([], (report) => parseAudit(params, report))
  requirePermission(scope, 'read_audit_log')
  return inSnapshot(scope, async (inside) => {
    // One more entry shows whether there is another page.
    const rows = await loadAudit(inside.db, inside.workspace.id, { kinds, before, limit: per_page + 1 })
    const shown = rows.slice(0, per_page)
    const data = await presentAudited(inside, shown)
    return { data, per_page, next_cursor: rows.length > per_page ? (shown.at(-1)?.id ?? null) : null }
  })
}

function parseAudit({ resource, per_page, cursor }: AuditParams, report: Report) {
  const before = isUnsent(cursor) ? undefined : parseId(cursor)
  if (before === undefined && !isUnsent(cursor)) report('cursor', 'The cursor must be the next_cursor of a page.')
  const kind = auditedKinds.find((name) => name === resource)
  if (kind === undefined && !isUnsent(resource)) report('resource', unknownKind(resource))
  return {
    before,
    kinds: kind ? [kind] : auditedKinds,
    per_page: parseWhole(per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
  }
}

function unknownKind(raw: unknown): string {
  const sent = typeof raw === 'string' ? raw : ''
  return `The resource ${excerpt(sent)} does not exist. Accepted: ${auditedKinds.join(', ')}.${suggestion(sent, auditedKinds)}`
}
