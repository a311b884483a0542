import type { ChartInput, Report } from '@kith/contract/app/reports'
import { REPORT_NAME_MAX } from '@kith/contract/limits'
import { createReport, reportsQuery, updateReport } from '../../api/reports.ts'
import { useSlug } from '../../api/workspace.ts'
import { useSave } from '../../forms/save.ts'
import { ShareDialog, type Sharing } from '../../forms/share-dialog.tsx'

/** Names a report, and says who sees it. */
export function ReportDialog(props: {
  /** The report that is renamed; a new one without. */
  report: Report | undefined
  /** The charts of a new report. */
  charts: readonly ChartInput[]
  onClose(): void
  onSaved(report: Report): void
}) {
  const { report, charts, onClose, onSaved } = props
  const slug = useSlug()
  const saving = useSave(
    (sharing: Sharing) =>
      report ? updateReport(slug, report.id, sharing) : createReport(slug, { ...sharing, charts }),
    { reload: [reportsQuery(slug).queryKey], next: onSaved },
  )
  return (
    <ShareDialog
      title={report ? 'Rename or share the report' : 'New report'}
      hint="Everybody sees it, and members can change it."
      nameMax={REPORT_NAME_MAX}
      sharing={report}
      saving={saving}
      onClose={onClose}
    />
  )
}
