import type { ReactNode } from 'react'
import { formatAgo, formatMomentExactly } from '../format/moments.ts'

/** A point in time as a text, by default how long ago it was. The exact time is its title. */
export function Moment(props: { at: string; className?: string; children?: ReactNode }) {
  const { at, className, children = formatAgo(at) } = props
  return (
    <time dateTime={at} title={formatMomentExactly(at)} className={className}>
      {children}
    </time>
  )
}
