import type { Chart } from '@kith/contract/app/reports'
import { ArrowLeft, ArrowRight, Download, Ellipsis, Image as ImageIcon, Pencil, Table2, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSchema } from '../../api/schema.ts'
import { IconButton } from '../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { tellFailure } from '../../forms/save.ts'
import { appearanceIn } from '../../resources.ts'
import { ChartBody } from './chart-body.tsx'
import type { ChartData } from './chart-data.ts'
import { chartCsv, chartPng, fileName, saveFile } from './chart-files.ts'
import type { ReportFilter } from './report-filter.ts'

/** A chart of a report, with what can be done with it. */
export function ChartCard(props: {
  chart: Chart
  filter: ReportFilter
  /** Whether it is the first and the last one. */
  place: { first: boolean; last: boolean }
  mayChange: boolean
  onData(data: ChartData | undefined): void
  onEdit(): void
  onMove(by: number): void
  onRemove(): void
}) {
  const { chart, filter, place, mayChange, onData, onEdit, onMove, onRemove } = props
  const [asTable, setAsTable] = useState(false)
  const [data, setData] = useState<ChartData>()
  const body = useRef<HTMLDivElement>(null)
  const { name } = appearanceIn(useSchema(), chart.resource)
  const isDrawn = chart.kind !== 'number' && chart.kind !== 'table'
  const saveCsv = () => {
    if (data) saveFile(fileName(chart.title, 'csv'), new Blob([chartCsv(data)], { type: 'text/csv' }))
  }
  const savePng = async () => {
    const svg = body.current?.querySelector('svg')
    if (!svg) return
    await chartPng(svg, chart.title)
      .then((picture) => saveFile(fileName(chart.title, 'png'), picture))
      .catch(tellFailure)
  }
  return (
    <section aria-label={chart.title} className="min-w-0 rounded-lg border border-line p-4">
      <header className="mb-3 flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 dir="auto" className="text-base font-medium wrap-anywhere">
            {chart.title}
          </h2>
          <p className="text-xs text-faint">{name}</p>
        </div>
        <Menu>
          <MenuTrigger asChild>
            <IconButton label={`Actions for ${chart.title}`}>
              <Ellipsis />
            </IconButton>
          </MenuTrigger>
          <MenuContent align="end">
            {isDrawn && (
              <MenuItem icon={<Table2 />} onSelect={() => setAsTable(!asTable)}>
                {asTable ? 'Show as a chart' : 'Show as a table'}
              </MenuItem>
            )}
            <MenuItem icon={<Download />} disabled={!data} onSelect={saveCsv}>
              Export CSV
            </MenuItem>
            {isDrawn && (
              <MenuItem icon={<ImageIcon />} disabled={!data || asTable} onSelect={savePng}>
                Export PNG
              </MenuItem>
            )}
            {mayChange && (
              <>
                <MenuLine />
                <MenuItem icon={<Pencil />} onSelect={onEdit}>
                  Change
                </MenuItem>
                <MenuItem icon={<ArrowLeft />} disabled={place.first} onSelect={() => onMove(-1)}>
                  Move back
                </MenuItem>
                <MenuItem icon={<ArrowRight />} disabled={place.last} onSelect={() => onMove(1)}>
                  Move forward
                </MenuItem>
                <MenuItem icon={<Trash2 />} danger onSelect={onRemove}>
                  Remove
                </MenuItem>
              </>
            )}
          </MenuContent>
        </Menu>
      </header>
      <div ref={body}>
        <ChartBody
          chart={chart}
          filter={filter}
          asTable={asTable}
          onData={(shown) => {
            setData(shown)
            onData(shown)
          }}
        />
      </div>
    </section>
  )
}
