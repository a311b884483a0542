import { type AuditEntryRow, type AuditedKind, auditedSettings } from '@kith/contract/app/audit'
import { recordParts } from '@kith/contract/changes/change-kind'
import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { excerpt } from '@kith/contract/excerpt'
import type { ExportFormat } from '@kith/contract/export-query'
import { momentOf, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isObject, isUnsent, parseWhole } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type RelatedType, type Resource, resourceIn } from '@kith/contract/resource'
import type { StoredChange } from '../journal/write.ts'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadLabels } from '../storage/query/related.ts'
import { type ListedEntry, loadAudit, loadLastNames } from '../storage/tables/audit-log.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { loadUserNames } from '../storage/tables/members.ts'

export type AuditParams = { resource?: unknown; per_page?: unknown; cursor?: unknown }

/** All changes in the workspace with their actors, latest first, including settings and deleted records. */
export async function listAudit(
  scope: Scope,
  params: AuditParams,
): Promise<{ data: AuditEntryRow[]; per_page: number; next_cursor: string | null }> {
  requireAbilities(scope, ['read'])
  const { kinds, before, per_page } = parseOrRefuse([], (report) => parseAudit(scope, params, report))
  requirePermission(scope, 'read_audit_log')
  return inSnapshot(scope, async (inside) => {
    // One more entry shows whether there is another page.
    const rows = await loadAudit(inside.db, inside.workspace.id, { kinds, before, limit: per_page + 1 })
    const shown = rows.slice(0, per_page)
    const data = await presentAudited(inside, shown)
    return { data, per_page, next_cursor: rows.length > per_page ? (shown.at(-1)?.id ?? null) : null }
  })
}

function parseAudit({ schema }: Scope, { resource, per_page, cursor }: AuditParams, report: Report) {
  const known = [...schema.keys(), ...recordParts, ...auditedSettings]
  const before = isUnsent(cursor) ? undefined : parseId(cursor)
  if (before === undefined && !isUnsent(cursor)) report('cursor', 'The cursor must be the next_cursor of a page.')
  const kind = known.find((name) => name === resource)
  if (kind === undefined && !isUnsent(resource)) report('resource', unknownKind(resource, known))
  return {
    before,
    kinds: kind ? [kind] : known,
    per_page: parseWhole(per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
  }
}

function unknownKind(raw: unknown, known: readonly string[]): string {
  const sent = typeof raw === 'string' ? raw : ''
  return `The resource ${excerpt(sent)} does not exist. Accepted: ${known.join(', ')}.${suggestion(sent, known)}`
}

/** How many entries are read and written at a time. */
const PART = 100

/** One part of the log as a file, latest entries first. The caller continues until there is no next cursor. */
export async function exportAudit(
  scope: Scope,
  { format, resource, cursor }: Pick<AuditParams, 'resource' | 'cursor'> & { format: ExportFormat },
): Promise<{ text: string; next_cursor: string | null }> {
  const { data, next_cursor } = await listAudit(scope, { resource, cursor, per_page: PART })
  const head = format === 'csv' && cursor === undefined ? `${columns.join(',')}\r\n` : ''
  const lines = data.map((entry) => (format === 'csv' ? lineOf(entry) : `${JSON.stringify(entry)}\n`))
  return { text: head + lines.join(''), next_cursor }
}

const columns = [
  'id',
  'at',
  'actor_id',
  'actor_name',
  'source',
  'token_id',
  'token_name',
  'action',
  'resource',
  'record_id',
  'record_name',
  'changes',
]

function lineOf(entry: AuditEntryRow): string {
  const { id, at, actor, source, token, action, resource, record_id, record_name, changes } = entry
  const cells = [
    id,
    at,
    actor?.id,
    actor?.name,
    source,
    token?.id,
    token?.name,
    action,
    resource,
    record_id,
    record_name,
    changes.length === 0 ? '' : JSON.stringify(changes),
  ]
  return csvLine(cells.map((cell) => escapeFormula(cell ?? '')))
}

/** Adds names to stored entries, with a few statements for any number of entries. */
export async function presentAudited(scope: Scope, rows: readonly ListedEntry[]): Promise<AuditEntryRow[]> {
  const parsed = rows.map((row) => ({ row, changes: changesIn(row) }))
  const fields = parsed.some(({ changes }) => changes.length > 0) ? await findAllFields(scope) : []
  const names = await namesFor(scope, parsed)
  return parsed.map(({ row, changes }) => {
    const { id, actor_id, token_id, source, action, resource } = row
    // The creation of a record is stored under the record's own id.
    const record_id = row.record_id ?? id
    return {
      id,
      at: momentOf(id),
      actor: actor_id === null ? null : { id: actor_id, name: row.actor_name ?? '' },
      source,
      token: token_id === null ? null : { id: token_id, name: row.token_name },
      action,
      resource,
      record_id,
      record_name: row.name ?? names.get(record_id) ?? null,
      changes: changes.map(([field, before, after, truncated]) => {
        const isId = relatedType(scope.schema.get(resource), field) !== undefined
        const shown = (value: unknown) => (isId ? withNames(value, names) : value)
        const label = labelOf(scope, { kind: resource, field, fields })
        return { field, label, before: shown(before), after: shown(after), truncated: truncated === 1 }
      }),
    }
  })
}

export function changesIn({ changes }: { changes: string | null }): readonly StoredChange[] {
  // Only noteWrite writes them.
  return changes === null ? [] : (JSON.parse(changes) as readonly StoredChange[])
}

/** A shortened value without the mark at its end, because `truncated` tells that it was cut. */
export function shortValue(value: unknown, cut: 1 | undefined): unknown {
  if (cut === undefined) return value
  if (Array.isArray(value)) return value.map((item) => shortValue(item, cut))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortValue(part, cut)]))
  return typeof value === 'string' && CUT_LENGTHS.has(value.length) && value.endsWith('…') ? value.slice(0, -1) : value
}

/** The lengths of shortened texts, including the mark. */
const CUT_LENGTHS: ReadonlySet<number> = new Set([1001, 101])

/** The names of the records of the entries, and of all records in their changes. */
async function namesFor(
  scope: Scope,
  parsed: readonly { row: ListedEntry; changes: readonly StoredChange[] }[],
): Promise<Map<string, string>> {
  const wanted = new Map<RelatedType, Set<string>>()
  const lost: string[] = []
  const want = (type: RelatedType, id: string) => {
    wanted.set(type, (wanted.get(type) ?? new Set()).add(id))
  }
  for (const { row, changes } of parsed) {
    const type = scope.schema.get(row.resource)?.type
    if (row.name === null) {
      if (type) want(type, row.record_id ?? row.id)
      else if (row.record_id !== null) lost.push(row.record_id)
    }
    for (const [field, before, after] of changes) {
      const to = relatedType(scope.schema.get(row.resource), field)
      if (to) for (const id of [...idsIn(before), ...idsIn(after)]) want(to, id)
    }
  }
  const names = new Map<string, string>()
  for (const [type, ids] of wanted) {
    for (const [id, name] of await loadNames(scope, type, [...ids])) names.set(id, name)
  }
  for (const ids of wanted.values()) lost.push(...[...ids].filter((id) => !names.has(id)))
  for (const { record_id, name } of await loadLastNames(scope.db, scope.workspace.id, lost)) names.set(record_id, name)
  return names
}

async function loadNames(scope: Scope, type: RelatedType, ids: readonly string[]): Promise<[string, string][]> {
  if (type === 'users') return (await loadUserNames(scope.db, ids)).map(({ id, name }) => [id, name])
  return [...(await loadLabels(scope, resourceIn(scope.schema, type), ids))]
}

/** The type of the ids in an attribute, if it holds ids. */
function relatedType(resource: Resource | undefined, field: string): RelatedType | undefined {
  return resource?.references[field]?.to ?? resource?.links[field]?.to
}

function idsIn(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((id) => typeof id === 'string')
}

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((id) => withNames(id, names))
  return typeof value === 'string' ? { id: value, name: names.get(value) ?? null } : value
}

export function labelOf(
  { schema }: Scope,
  { kind, field, fields }: { kind: AuditedKind; field: string; fields: readonly StoredField[] },
): string {
  const code = /^custom_fields\.(.+)$/.exec(field)?.[1]
  if (code !== undefined) return fields.find((one) => one.entity_type === kind && one.code === code)?.name ?? code
  const words = schema.get(kind)?.links[field]?.relation ?? field.replace(/_id$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
