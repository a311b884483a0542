import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tooltip } from '../../../components/tooltip.tsx'
import type { Mark } from '../chart-data.ts'
import type { OpenList } from './plot.ts'

/** A bar or a point that can be reached by keyboard, says its value, and opens the list of its records. */
export function MarkLink(props: { name: string; mark: Mark; open: OpenList; children: ReactNode }) {
  const { name, mark, open, children } = props
  const told = `${name}: ${mark.told}`
  const look = { className: 'group/mark outline-none', 'aria-label': told }
  return (
    <Tooltip text={told} side="top">
      {mark.filter ? (
        <Link {...open(mark.filter)} {...look}>
          {children}
        </Link>
      ) : (
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it has the focus only to tell its value
        <g role="img" tabIndex={0} {...look}>
          {children}
        </g>
      )}
    </Tooltip>
  )
}

/** The ring of a mark that has the focus. */
export function FocusRing(props: { x: number; y: number; width: number; height: number }) {
  const { x, y, width, height } = props
  return (
    <rect
      x={x - 2}
      y={y - 2}
      width={width + 4}
      height={height + 4}
      rx={3}
      fill="none"
      stroke="var(--accent)"
      strokeWidth={2}
      className="invisible group-focus-visible/mark:visible"
    />
  )
}
