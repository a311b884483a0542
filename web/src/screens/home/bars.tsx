import { Tooltip } from '../../components/tooltip.tsx'
import { type Scale, scaleOf } from './scale.ts'

type Part = { value: number; color: string }
type BarOf = {
  name: string
  /** From the axis outwards. */
  parts: readonly Part[]
  /** What is said while the mouse is over it, line by line. */
  lines: readonly string[]
}

type Props = {
  /** What the chart shows, as a text. */
  label: string
  bars: readonly BarOf[]
  /** A mark of the scale, as a text. */
  format(value: number): string
}

/** Bars one below the other. */
export function Rows({ label, bars, format }: Props) {
  const scale = scaleOf(bars.map(totalOf))
  return (
    <div role="img" aria-label={label} className="relative h-66 text-xs text-quiet">
      <div className="absolute inset-y-0 right-4 left-33">
        {scale.ticks.map((tick) => (
          <div
            key={tick}
            style={{ left: share(tick, scale) }}
            className="absolute inset-y-0 max-sm:even:[&>span]:invisible"
          >
            <div className="absolute top-0 bottom-6 border-l border-line" />
            <span className="absolute bottom-0 -translate-x-1/2">{format(tick)}</span>
          </div>
        ))}
      </div>
      <div className="absolute inset-x-0 top-0 bottom-6 flex flex-col">
        {bars.map((bar) => (
          <Tooltip key={bar.name} text={bar.lines.join('\n')} side="top">
            <div className="flex min-h-0 flex-1 items-center rounded-sm pr-4 hover:bg-hover">
              <span className="w-33 shrink-0 truncate pr-2 text-right">{bar.name}</span>
              <div className="relative flex h-3.5 min-w-0 flex-1 overflow-hidden rounded-sm">
                {bar.parts.map(({ value, color }) => (
                  <div key={color} style={{ width: share(value, scale), background: color }} className="rounded-sm" />
                ))}
              </div>
            </div>
          </Tooltip>
        ))}
      </div>
    </div>
  )
}

/** Bars side by side, for things that are counted. */
export function Columns({ label, bars, format }: Props) {
  const scale = scaleOf(bars.map(totalOf), true)
  return (
    <div role="img" aria-label={label} className="relative h-66 text-xs text-quiet">
      <div className="absolute inset-x-0 top-2 bottom-7">
        {scale.ticks.map((tick) => (
          <div key={tick} style={{ bottom: share(tick, scale) }} className="absolute inset-x-0">
            <div className="absolute right-2 left-11 border-t border-line" />
            <span className="absolute left-0 w-9 -translate-y-1/2 text-right">{format(tick)}</span>
          </div>
        ))}
        <div className="absolute inset-y-0 right-2 left-11 flex">
          {bars.map((bar) => (
            <Tooltip key={bar.name} text={bar.lines.join('\n')} side="top">
              <div className="flex min-w-0 flex-1 flex-col-reverse items-center hover:bg-hover">
                {bar.parts.map(({ value, color }) => (
                  <div
                    key={color}
                    style={{ height: share(value, scale), background: color }}
                    className="w-4/5 max-w-5 shrink-0"
                  />
                ))}
              </div>
            </Tooltip>
          ))}
        </div>
      </div>
      <div className="absolute right-2 bottom-0 left-11 flex">
        {bars.map(({ name }) => (
          <span key={name} className="flex min-w-0 flex-1 justify-center whitespace-nowrap max-sm:even:invisible">
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}

function totalOf({ parts }: BarOf): number {
  return parts.reduce((sum, { value }) => sum + value, 0)
}

function share(value: number, { top }: Scale): string {
  return `${(100 * value) / top}%`
}
