import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePageTitle } from '../../shell/header.tsx'

/** The frame of the screens outside of workspaces: logo, title and one narrow column. */
export function Entrance(props: {
  title: string
  text?: ReactNode
  children?: ReactNode
  /** Shown below the column: a link to another screen. */
  below?: ReactNode
}) {
  const { title, text, children, below } = props
  usePageTitle(title)
  return (
    <main className="grid min-h-dvh content-start justify-center bg-sunk px-4 pt-[10vh] pb-16">
      <div className="w-[calc(100vw-32px)] max-w-95">
        <div className="rounded-lg border border-line bg-paper px-5 py-7 sm:px-8 sm:py-8">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <h1 className="mt-5 text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
          {text && <div className="mt-1.5 text-sm text-quiet">{text}</div>}
          {children && <div className="mt-6">{children}</div>}
        </div>
        {below && <div className="mt-5 text-center text-sm text-quiet">{below}</div>}
      </div>
    </main>
  )
}

/** A link on a screen outside of workspaces. */
export function EntranceLink(props: LinkProps) {
  return <Link {...props} className="rounded-sm font-medium text-accent underline-offset-2 hover:underline" />
}
