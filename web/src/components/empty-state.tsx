import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = {
  icon: LucideIcon
  title: string
  /** What belongs here. */
  text?: string
  /** The first step. */
  children?: ReactNode
}

export function EmptyState({ icon: Icon, title, text, children }: Props) {
  return (
    <div className="mx-auto grid max-w-110 justify-items-center px-6 py-16 text-center">
      <Icon aria-hidden strokeWidth={1.5} className="size-8 text-faint" />
      <h2 className="mt-4 text-base font-medium">{title}</h2>
      {text && <p className="mt-1 text-sm text-quiet">{text}</p>}
      {children && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  )
}
