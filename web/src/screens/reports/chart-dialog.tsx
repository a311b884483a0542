import { type Chart, chartKinds } from '@kith/contract/app/reports'
import { CHART_TITLE_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import { groupNamed, periods } from '@kith/contract/summary'
import { type ReactNode, useState } from 'react'
import { useSchema } from '../../api/schema.ts'
import { Input } from '../../components/controls.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/select.tsx'
import { Form, FormField } from '../../forms/form.tsx'
import { appearanceOf } from '../../resources.ts'
import { FilterPopover } from '../records/filter/filter-popover.tsx'
import { ChartBody } from './chart-body.tsx'
import { measureLabel } from './chart-data.ts'
import { fitted, freshChart, isSummary, kindWords } from './chart-draft.ts'
import { dateOf, personOf } from './chart-filter.ts'
import {
  amountChoices,
  type Choice,
  dateChoices,
  groupChoices,
  ownerChoices,
  personChoices,
  stageChoices,
} from './groups.ts'

/** Makes or changes a chart, and shows it as it will be. */
export function ChartDialog(props: {
  title: string
  start: Chart
  saving: { error: Error | null; isPending: boolean }
  onSave(chart: Chart): void
  onClose(): void
  /** Stands above the chart: the report that it goes into. */
  children?: ReactNode
}) {
  const { title, start, saving, onSave, onClose, children } = props
  const schema = useSchema()
  const [chart, setChart] = useState(start)
  const [filtering, setFiltering] = useState(false)
  const resource = schema.get(chart.resource)
  if (!resource) return null
  const change = (changes: Partial<Chart>) => setChart(fitted({ ...chart, ...changes }, resource))
  const changeResource = (name: string) => {
    const next = schema.get(name)
    if (next) setChart({ ...freshChart(next, chart.kind), id: chart.id, title: chart.title })
  }
  const named = { ...chart, title: chart.title.trim() === '' ? suggested(chart, resource) : chart.title.trim() }
  return (
    <Dialog open wide title={title} onOpenChange={onClose}>
      <Form saving={saving} action="Save" onCancel={onClose} onSubmit={() => onSave(named)}>
        {children}
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField label="Title">
            <Input
              value={chart.title}
              placeholder={suggested(chart, resource)}
              maxLength={CHART_TITLE_MAX}
              onChange={({ target }) => setChart({ ...chart, title: target.value })}
            />
          </FormField>
          <Choose
            label="Kind"
            value={chart.kind}
            choices={chartKinds
              .filter((kind) => isPossible(kind, resource))
              .map((value) => ({ value, label: kindWords[value] }))}
            onValue={(value) => change({ kind: chartKinds.find((kind) => kind === value) ?? 'bar' })}
          />
          <Choose
            label="Records"
            value={chart.resource}
            choices={[...schema.values()].map((one) => ({ value: one.type, label: appearanceOf(one).name }))}
            onValue={changeResource}
          />
          {isSummary(chart.kind) ? (
            <SummaryChoices chart={chart} resource={resource} onChange={change} />
          ) : (
            <CalculationChoices chart={chart} resource={resource} onChange={change} />
          )}
          {chart.kind !== 'win_rate' && chart.kind !== 'stage_time' && (
            <Choose
              label={chart.kind === 'forecast' ? 'Expected at' : 'Period applies to'}
              value={dateOf(chart, resource)}
              choices={dateChoices(resource)}
              onValue={(date) => change({ date })}
            />
          )}
          <Choose
            label="Person applies to"
            value={personOf(chart, resource) ?? ''}
            choices={isSummary(chart.kind) ? personChoices(resource) : ownerChoices(resource)}
            onValue={(person) => change({ person })}
          />
        </div>
        <div className="flex items-center gap-3">
          <FilterPopover
            resource={chart.resource}
            filter={chart.filter ?? undefined}
            onFilter={(filter) => change({ filter: filter ?? null })}
            open={filtering}
            onOpenChange={setFiltering}
          />
          <span className="text-xs text-faint">Only the records that meet the filter are in the chart.</span>
        </div>
        <div className="min-h-40 rounded-lg border border-line p-4">
          <ChartBody chart={{ ...named, id: 'preview' }} filter={{}} asTable={false} />
        </div>
      </Form>
    </Dialog>
  )
}

type ChoicesProps = { chart: Chart; resource: Resource; onChange(changes: Partial<Chart>): void }

const NONE = 'none'

function SummaryChoices({ chart, resource, onChange }: ChoicesProps) {
  const [first = NONE, second = NONE] = chart.group_by
  const groups = groupChoices(resource)
  const group = (names: readonly string[]) => onChange({ group_by: names.filter((name) => name !== NONE) })
  const isDated = chart.group_by.some((name) => ['day', 'time'].includes(groupNamed(name, resource)?.by ?? ''))
  return (
    <>
      <Choose
        label="Shows"
        value={`${chart.measure} ${chart.field ?? ''}`}
        choices={measureChoices(resource)}
        onValue={(value) => {
          const [word, field = ''] = value.split(' ')
          const measure = measures.find((one) => one === word) ?? 'count'
          onChange({ measure, field: field === '' ? null : field })
        }}
      />
      {chart.kind !== 'number' && (
        <>
          <Choose
            label="By"
            value={first}
            choices={chart.kind === 'table' ? [{ value: NONE, label: 'Nothing' }, ...groups] : groups}
            onValue={(value) => group([value, second === value ? NONE : second])}
          />
          {first !== NONE && (
            <Choose
              label="And by"
              value={second}
              choices={[{ value: NONE, label: 'Nothing' }, ...groups.filter(({ value }) => value !== first)]}
              onValue={(value) => group([first, value])}
            />
          )}
        </>
      )}
      {isDated && <PeriodChoice chart={chart} onChange={onChange} />}
    </>
  )
}

const measures = ['count', 'sum', 'average', 'smallest', 'largest'] as const

function measureChoices(resource: Resource): Choice[] {
  const amounts = amountChoices(resource).flatMap(({ value: field }) =>
    measures
      .slice(1)
      .map((measure) => ({ value: `${measure} ${field}`, label: measureLabel({ measure, field }, resource) })),
  )
  return [{ value: 'count ', label: 'Number of records' }, ...amounts]
}

function CalculationChoices({ chart, resource, onChange }: ChoicesProps) {
  const { kind, person, group_by } = chart
  return (
    <>
      {kind === 'forecast' && (
        <Choose
          label="Amount"
          value={chart.field ?? ''}
          choices={amountChoices(resource)}
          onValue={(field) => onChange({ field })}
        />
      )}
      <Choose
        label="Stage"
        value={chart.stage ?? ''}
        choices={stageChoices(resource)}
        onValue={(stage) => onChange({ stage })}
      />
      {kind !== 'stage_time' && (
        <>
          <Choose
            label="By"
            value={group_by.length > 0 ? 'person' : 'period'}
            choices={[
              { value: 'period', label: 'Period' },
              ...(person === null ? [] : [{ value: 'person', label: 'Person' }]),
            ]}
            onValue={(value) => onChange({ group_by: value === 'person' && person !== null ? [person] : [] })}
          />
          <PeriodChoice chart={chart} onChange={onChange} />
        </>
      )}
    </>
  )
}

const periodWords = { day: 'Day', week: 'Week', month: 'Month', quarter: 'Quarter', year: 'Year' } as const

function PeriodChoice({ chart, onChange }: Pick<ChoicesProps, 'chart' | 'onChange'>) {
  return (
    <Choose
      label="Periods of one"
      value={chart.period ?? 'month'}
      choices={periods.map((value) => ({ value, label: periodWords[value] }))}
      onValue={(value) => onChange({ period: periods.find((period) => period === value) ?? 'month' })}
    />
  )
}

function Choose(props: { label: string; value: string; choices: readonly Choice[]; onValue(value: string): void }) {
  const { label, value, choices, onValue } = props
  return (
    <FormField label={label}>
      <Select value={value} onValueChange={onValue} choices={choices} />
    </FormField>
  )
}

/** Calculations need a stage, and a forecast an amount and a date. */
function isPossible(kind: Chart['kind'], resource: Resource): boolean {
  if (isSummary(kind)) return true
  return stageChoices(resource).length > 0 && (kind !== 'forecast' || amountChoices(resource).length > 0)
}

/** A title for who does not type one. */
function suggested(chart: Chart, resource: Resource): string {
  const { name } = appearanceOf(resource)
  if (!isSummary(chart.kind)) return kindWords[chart.kind]
  const shown = chart.measure === 'count' ? name : measureLabel(chart, resource)
  const groups = groupChoices(resource).filter(({ value }) => chart.group_by.includes(value))
  const by = groups.map(({ label }) => label.toLowerCase()).join(' and ')
  return (by === '' ? shown : `${shown} by ${by}`).slice(0, CHART_TITLE_MAX)
}
