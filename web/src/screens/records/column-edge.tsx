import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { COLUMN_MAX, COLUMN_MIN } from './columns.ts'

type Props = { label: string; width: number; onWidth(width: number): void }

const STEP = 16

/** The edge by which a column is made wider or narrower: dragged, or with the arrow keys. */
export function ColumnEdge({ label, width, onWidth }: Props) {
  const start = useRef<{ x: number; width: number } | undefined>(undefined)
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width }
  }
  const onPointerMove = (event: PointerEvent) => {
    if (start.current) onWidth(start.current.width + event.clientX - start.current.x)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -STEP : event.key === 'ArrowRight' ? STEP : 0
    if (step === 0) return
    event.preventDefault()
    event.stopPropagation()
    onWidth(width + step)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of column ${label}`}
      aria-valuenow={Math.round(width)}
      aria-valuemin={COLUMN_MIN}
      aria-valuemax={COLUMN_MAX}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1/2 after:w-0.5 after:-translate-x-1/2 hover:after:bg-accent focus-visible:outline-none focus-visible:after:bg-accent"
    />
  )
}
