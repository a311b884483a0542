import type { ReactElement } from 'react'
import { ResponsiveContainer } from 'recharts'

/** The look that all charts share: hairlines, small quiet labels. */
export const axis = {
  axisLine: false,
  tickLine: false,
  tick: { fontSize: 12, fill: 'var(--quiet)' },
} as const

export const grid = { stroke: 'var(--line)' } as const

export const hovered = { fill: 'var(--hover)' } as const

/** A chart of the one height, read out as the sentence that it draws. */
export function ChartFrame({ label, children }: { label: string; children: ReactElement }) {
  return (
    <div role="img" aria-label={label} className="h-66 [&_*]:outline-none">
      <ResponsiveContainer width="100%" height="100%">
        {children}
      </ResponsiveContainer>
    </div>
  )
}
