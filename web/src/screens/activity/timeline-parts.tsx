import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Moment } from '../../components/moment.tsx'
import { formatTime } from '../../format/moments.ts'
import { UserAvatar } from '../../user-avatar.tsx'

/** An item of a timeline, with its icon at the side. */
export function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex gap-2.5 text-sm">
      <span className="mt-0.5 grid size-4 shrink-0 place-items-center text-faint [&>svg]:size-4">{icon}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  )
}

export function When({ at }: { at: string }) {
  return (
    <Moment at={at} className="whitespace-nowrap text-faint">
      {formatTime(at)}
    </Moment>
  )
}

/** `what` is what will be undone, in words for screen readers. */
export function UndoButton(props: { what: string; at: string; disabled: boolean; onClick(): void }) {
  const { what, at, disabled, onClick } = props
  return (
    <Button
      size="small"
      look="quiet"
      disabled={disabled}
      className="h-5! px-1.5! align-baseline text-xs"
      aria-label={`Undo that ${what} at ${formatTime(at)}`}
      onClick={onClick}
    >
      Undo
    </Button>
  )
}

export function Who({ id, name }: { id: string | undefined; name: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-bottom text-ink">
      <UserAvatar id={id} name={name} size={16} />
      <span className="font-medium">{name}</span>
    </span>
  )
}
