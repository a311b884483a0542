import { type Chart, newReport, type Report, reportChanges } from '@kith/contract/app/reports'
import { newId, parseId } from '@kith/contract/id'
import { REPORTS_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { parseOrRefuse, refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { readObject, readSent } from '@kith/contract/shape'
import { requirePermission } from '../scope/permissions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countReports, findReport, loadReports, type ReportRow, reportTable } from '../storage/tables/reports.ts'
import { parseCharts } from './parse-charts.ts'

/** The actor's own reports and the shared ones. */
export async function listReports(scope: Scope): Promise<Report[]> {
  requirePermission(scope, 'read')
  return (await loadReports(scope)).map(present)
}

/** A new report goes last. */
export function createReport(scope: Scope, input: unknown): Promise<Report> {
  requirePermission(scope, 'save_views')
  const wanted = parseOrRefuse([], (report) => {
    const { charts, ...sent } = readObject(input, newReport, report)
    return { ...sent, charts: parseCharts(scope, { raw: charts, before: [] }, report) }
  })
  if (wanted.shared) requirePermission(scope, 'share_views')
  return inTransaction(scope, async (inside) => {
    await inside.engine.lock(inside.db, [lockOf(inside)])
    const { reports, last } = await countReports(inside)
    if (reports >= REPORTS_MAX) {
      refuseValue('name', `The workspace has ${REPORTS_MAX} reports already, and cannot have more.`)
    }
    const at = inside.now()
    const id = newId(at.getTime())
    await reportTable.insert(inside, {
      workspace_id: inside.workspace.id,
      id,
      owner_id: inside.actor.user_id,
      name: wanted.name,
      shared: Number(wanted.shared),
      charts: JSON.stringify(wanted.charts),
      position: last + 1,
      version: 1,
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    })
    return present(await requireReport(inside, id))
  })
}

/**
 * Changes the sent attributes and keeps the others. Charts are replaced as a whole, so a request that sends them names
 * the version that it has seen: one that others have changed since is refused, and nothing is lost.
 */
export function updateReport(scope: Scope, id: string, input: unknown): Promise<Report> {
  requirePermission(scope, 'save_views')
  return inTransaction(scope, async (inside) => {
    await inside.engine.lock(inside.db, [lockOf(inside)])
    const row = await requireOwnReport(inside, id)
    const before = chartsOf(row)
    const { version, ...changes } = parseOrRefuse([], (report) => {
      const { charts, ...others } = readSent(input, reportChanges, report)
      if (charts === undefined) return others
      if (others.version === undefined) report('version', 'The version is required with charts.')
      return { ...others, charts: JSON.stringify(parseCharts(inside, { raw: charts, before }, report)) }
    })
    if (version !== undefined && version !== row.version) refuseChanged(row)
    const { shared = row.shared === 1 } = changes
    if (shared) requirePermission(inside, 'share_views')
    const next = { ...changes, shared: Number(shared), version: row.version + 1 }
    const seen = { id: row.id, version: row.version }
    const changed = await reportTable.update(inside, seen, { ...next, updated_at: inside.now().toISOString() })
    if (changed === 0) refuseChanged(row)
    return present(await requireReport(inside, row.id))
  })
}

export function removeReport(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'save_views')
  return inTransaction(scope, async (inside) => {
    await reportTable.remove(inside, { id: (await requireOwnReport(inside, id)).id })
  })
}

/** Changes of reports are few, and run one at a time. */
function lockOf({ workspace }: Scope): string {
  return `reports ${workspace.id}`
}

function refuseChanged({ updated_at }: ReportRow): never {
  const message = 'The report was changed meanwhile. Nothing was written: read it again, and repeat the change.'
  refuse({ kind: 'precondition_failed', message, updated_at })
}

/** A private report of another user is reported as not found, so that its existence stays hidden. */
async function requireReport(scope: Scope, id: string): Promise<ReportRow> {
  const row = await findReport(scope, parseId(id) ?? '')
  if (row && (row.shared === 1 || row.owner_id === scope.actor.user_id)) return row
  return refuseUnknownId('report', id)
}

/** Everybody who may share reports edits a shared one, as with records. A private one is its owner's alone. */
async function requireOwnReport(inside: Scope, id: string): Promise<ReportRow> {
  const row = await requireReport(inside, id)
  if (row.owner_id === inside.actor.user_id || roleMay(inside.actor.role, 'share_views')) return row
  return refuse({ kind: 'forbidden', message: 'Viewers cannot change a shared report.' })
}

function chartsOf({ charts }: ReportRow): readonly Chart[] {
  return JSON.parse(charts)
}

function present(row: ReportRow): Report {
  const { id, name, shared, owner_id, owner_name, position, version } = row
  const owner = owner_name === null ? null : { id: owner_id, name: owner_name }
  return { id, name, shared: shared === 1, owner, charts: chartsOf(row), position, version }
}
