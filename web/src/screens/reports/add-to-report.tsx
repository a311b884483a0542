import type { Chart } from '@kith/contract/app/reports'
import { roleMay } from '@kith/contract/permissions'
import { searchFilter } from '@kith/contract/relative/search-filter'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changeCharts, createReport, reportsQuery } from '../../api/reports.ts'
import { useResource } from '../../api/schema.ts'
import { sessionQuery } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Select } from '../../components/select.tsx'
import { FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { useBoardField, useSummedField } from '../board/board-choice.ts'
import { measuresIn } from '../records/footers/measures.ts'
import { useGrouping } from '../records/groups/grouping.ts'
import { joined } from '../records/list-query.ts'
import { useListState } from '../records/list-state.ts'
import { ChartDialog } from './chart-dialog.tsx'
import { fitted, freshChart, inputOf } from './chart-draft.ts'

const NEW = 'new'

/** Adds a chart of the list on the screen to a report: with its filter, its groups and its first measure. */
export function AddToReport({ resource, onClose }: { resource: ResourceName; onClose(): void }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const { data: all = [] } = useQuery(reportsQuery(slug))
  const reports = all.filter(({ owner }) => owner?.id === session?.user.id || roleMay(role, 'share_views'))
  const [chosen, setChosen] = useState<string>()
  const report = chosen ?? reports[0]?.id ?? NEW
  const start = useChartOfList(resource)
  const saving = useSave(
    (chart: Chart) =>
      report === NEW
        ? createReport(slug, { name: 'My report', shared: false, charts: [inputOf(chart)] })
        : changeCharts(slug, report, (charts) => [...charts, inputOf(chart)]),
    {
      reload: [reportsQuery(slug).queryKey],
      message: ({ name }) => `Added to ${name}`,
      next: ({ id }) => {
        onClose()
        void navigate({ to: '/$workspace/reports', params: { workspace: slug }, search: { report: id } })
      },
    },
  )
  return (
    <ChartDialog
      title="Add to report"
      start={start}
      saving={saving}
      onSave={(chart) => saving.mutate(chart)}
      onClose={onClose}
    >
      <FormField label="Report">
        <Select
          value={report}
          onValueChange={setChosen}
          choices={[
            ...reports.map(({ id, name }) => ({ value: id, label: name })),
            { value: NEW, label: 'A new report' },
          ]}
        />
      </FormField>
    </ChartDialog>
  )
}

function useChartOfList(name: ResourceName): Chart {
  const [{ filter, q, layout, footers }] = useListState()
  const resource = useResource(name)
  const grouping = useGrouping(name)
  const boardField = useBoardField(name)
  const summed = useSummedField(name)
  const board = layout === 'board' && boardField ? `custom_fields.${boardField.code}` : undefined
  const [measured] = [...measuresIn(footers)].filter(([, measure]) => words[measure] !== undefined)
  const isSummed = board !== undefined && summed !== undefined
  const fresh = freshChart(resource)
  const by = grouping?.by ?? board
  return fitted(
    {
      ...fresh,
      filter: joined(filter, searchFilter(resource, q)) ?? null,
      group_by: by === undefined ? fresh.group_by : [by],
      ...(isSummed && { measure: 'sum' as const, field: `custom_fields.${summed.code}` }),
      ...(measured && { measure: words[measured[1]] ?? 'count', field: measured[0] }),
    },
    resource,
  )
}

/** The measures of the foot of a list, by the words of summaries. */
const words: Readonly<Record<string, Chart['measure']>> = {
  sum: 'sum',
  average: 'average',
  minimum: 'smallest',
  maximum: 'largest',
}
