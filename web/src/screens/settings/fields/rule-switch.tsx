import { type ReactNode, useId } from 'react'
import { Switch } from '../../../components/switch.tsx'

type Props = { label: string; hint: ReactNode; checked: boolean; onChange(checked: boolean): void }

/** A rule that is on or off, with what it means. */
export function RuleSwitch({ label, hint, checked, onChange }: Props) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <div id={`${id}-hint`} className="text-xs text-faint">
          {hint}
        </div>
      </div>
      <Switch id={id} aria-describedby={`${id}-hint`} checked={checked} onCheckedChange={onChange} className="mt-0.5" />
    </div>
  )
}
