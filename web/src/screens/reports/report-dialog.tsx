import type { ChartInput, Report } from '@kith/contract/app/reports'
import { REPORT_NAME_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { useState } from 'react'
import { createReport, reportsQuery, updateReport } from '../../api/reports.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Input } from '../../components/controls.tsx'
import { Switch } from '../../components/switch.tsx'
import { FormDialog, FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'

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
  const { role } = useWorkspace()
  const [shared, setShared] = useState(report?.shared ?? false)
  const saving = useSave(
    (name: string) =>
      report ? updateReport(slug, report.id, { name, shared }) : createReport(slug, { name, shared, charts }),
    { reload: [reportsQuery(slug).queryKey], next: onSaved },
  )
  return (
    <FormDialog
      title={report ? 'Rename or share the report' : 'New report'}
      saving={saving}
      onSubmit={(typed) => saving.mutate(typed('name'))}
      action="Save"
      onClose={onClose}
    >
      <FormField label="Name" name="name">
        <Input defaultValue={report?.name ?? ''} required maxLength={REPORT_NAME_MAX} />
      </FormField>
      <label className="flex items-center justify-between gap-4 text-sm" htmlFor="report-shared">
        <span>
          Share with the workspace
          <span className="block text-xs text-faint">Everybody sees it, and members can change it.</span>
        </span>
        <Switch
          id="report-shared"
          checked={shared}
          disabled={!roleMay(role, 'share_views')}
          onCheckedChange={setShared}
        />
      </label>
    </FormDialog>
  )
}
