import type { HistoryEntry } from '@kith/contract/history-entry'
import { momentOf, parseId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { parseWhole } from '@kith/contract/whole-number'
import { requireAbilities } from '../records/allow.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import type { ListedEntry } from '../storage/tables/audit-log.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { loadHistory } from '../storage/tables/history.ts'
import { findHistory } from './find-history.ts'
import { addInitial } from './initial-values.ts'
import { changesIn, labelOf } from './present.ts'
import type { StoredChange } from './write.ts'

type Listed = HistoryEntry & { id: string }

type HistoryPage = { data: Listed[]; per_page: number; next_cursor: string | null; prev_cursor: null }

type Asked = { id: string; raw: Readonly<Record<string, unknown>>; issues?: readonly Issue[] }

/** Who changed what of a record, latest first. With `field` only what happened to one attribute. */
export async function readHistory(scope: Scope, resource: Resource, asked: Asked): Promise<HistoryPage> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const record_ids = await findHistory(inside, resource, asked.id)
    const fields = await findAllFields(inside)
    const issues: Issue[] = [...(asked.issues ?? [])]
    const { field, before, per_page } = parseHistory(asked.raw, { resource, fields }, reportInto(issues))
    refuseIfAny(issues)
    const part = { resource: resource.type, record_ids, field, before, limit: per_page + 1 }
    const found = await loadEntries(inside, resource, part)
    const shown = found.slice(0, per_page)
    const next_cursor = found.length > per_page ? (shown.at(-1)?.row.id ?? null) : null
    const data = shown.map((entry) => presentEntry(entry, { scope, resource, fields }))
    return { data, per_page, next_cursor, prev_cursor: null }
  })
}

type Entry = { row: ListedEntry; changes: readonly StoredChange[] }

type Part = Parameters<typeof loadHistory>[1]

/** Entries until there are as many as asked for. The database only tells which entries may have changed a field. */
async function loadEntries(inside: Scope, resource: Resource, part: Part): Promise<Entry[]> {
  const { field, limit } = part
  const entries: Entry[] = []
  let before = part.before
  while (entries.length < limit) {
    const rows = await loadHistory(inside, { ...part, before })
    const all = rows.map((row) => ({ row, changes: changesIn(row) }))
    entries.push(...(field === undefined ? all : await ofField(inside, resource, { all, field })))
    if (rows.length < limit) break
    before = rows.at(-1)?.id
  }
  return entries
}

async function ofField(
  inside: Scope,
  resource: Resource,
  { all, field }: { all: readonly Entry[]; field: string },
): Promise<Entry[]> {
  const only = all.map(({ row, changes }) => ({ row, changes: changes.filter(([name]) => name === field) }))
  return (await addInitial(inside, resource, { entries: only, field })).filter(({ changes }) => changes.length > 0)
}

function presentEntry(
  { row, changes }: Entry,
  { scope, resource, fields }: { scope: Scope; resource: Resource; fields: readonly StoredField[] },
): Listed {
  const { id, source, actor_id, token_id, actor_name, token_name } = row
  const own = token_id !== null && token_id === scope.actor.token_id
  return {
    id,
    // The creation of a record is stored under the record's own id.
    record_id: row.record_id ?? id,
    at: momentOf(id),
    action: row.action,
    origin: { source, actor_id, token_id, own },
    actor_name,
    token_name,
    changes: changes.map(([field, before, after, cut]) => {
      const label = labelOf(resource.type, field, fields)
      return { field, label, before: kept(before, cut), after: kept(after, cut), truncated: cut === 1 }
    }),
  }
}

/** What is left of a value: `truncated` tells that it was cut, instead of the mark at the end of the text. */
function kept(value: unknown, cut: 1 | undefined): unknown {
  if (cut === undefined) return value
  if (Array.isArray(value)) return value.map((item) => kept(item, cut))
  return typeof value === 'string' && CUT_LENGTHS.has(value.length) && value.endsWith('…') ? value.slice(0, -1) : value
}

/** How long a text is that was cut, with its mark. */
const CUT_LENGTHS: ReadonlySet<number> = new Set([1001, 101])

type Context = { resource: Resource; fields: readonly StoredField[] }

function parseHistory(raw: Readonly<Record<string, unknown>>, context: Context, report: Report) {
  const { cursor } = raw
  const isFirst = isUnsent(cursor) || cursor === 'true' || cursor === true
  const before = isFirst ? undefined : parseId(cursor)
  if (!isFirst && before === undefined) {
    report('cursor', 'The cursor must be true for the first page, or the next_cursor of the previous page.')
  }
  return {
    before,
    field: isUnsent(raw.field) ? undefined : parseField(raw.field, context, report),
    per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
  }
}

function parseField(raw: unknown, { resource, fields }: Context, report: Report): string | undefined {
  const codes = fields.filter((one) => one.entity_type === resource.type).map(({ code }) => `custom_fields.${code}`)
  const native = [resource.label, ...Object.keys(resource.references), ...Object.keys(resource.links)]
  const accepted = [...native, 'external_ids', ...codes]
  const field = accepted.find((name) => name === raw)
  if (field !== undefined) return field
  const near = typeof raw === 'string' ? suggestion(raw, accepted) : ''
  report('field', `The field must be the name of an attribute. Accepted: ${accepted.join(', ')}.${near}`)
  return undefined
}
