import type { Audited } from '@kith/contract/app/audit'
import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import type { ExportFormat } from '@kith/contract/export-query'
import type { Scope } from '../scope/scope.ts'
import { type AuditParams, listAudit } from './list.ts'

/** Entries that are read and written at a time. */
const PART = 100

/** A part of the export as text, and where the next one begins. */
type ExportPart = { text: string; next_cursor: string | null }

type ExportParams = Pick<AuditParams, 'resource' | 'cursor'> & { format: ExportFormat }

/** One part of the log as a file, latest entries first. The caller continues until there is no next cursor. */
export async function exportAudit(scope: Scope, { format, resource, cursor }: ExportParams): Promise<ExportPart> {
  const { data, next_cursor } = await listAudit(scope, { resource, cursor, per_page: PART })
  const head = format === 'csv' && cursor === undefined ? `${columns.join(',')}\r\n` : ''
  const lines = data.map((entry) => (format === 'csv' ? lineOf(entry) : `${JSON.stringify(entry)}\n`))
  return { text: head + lines.join(''), next_cursor }
}

const columns = [
  ...['id', 'at', 'actor_id', 'actor_name', 'source', 'token_id', 'token_name', 'action', 'resource', 'record_id'],
  ...['record_name', 'changes'],
]

function lineOf(entry: Audited): string {
  const { id, at, actor, source, token, action, resource, record_id, record_name, changes } = entry
  const cells = [
    ...[id, at, actor?.id, actor?.name, source, token?.id, token?.name, action, resource, record_id, record_name],
    changes.length === 0 ? '' : JSON.stringify(changes),
  ]
  return csvLine(cells.map((cell) => escapeFormula(cell ?? '')))
}
