import { Check } from 'lucide-react'
import { useState } from 'react'
import { tints } from './class-names.ts'
import { Popover, PopoverContent, PopoverTrigger } from './popover.tsx'

/** One of the soft colours. */
export function TintPicker({
  label,
  tint,
  onTint,
}: {
  label: string
  tint: string | null
  onTint(tint: string): void
}) {
  const [open, setOpen] = useState(false)
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger
        aria-label={`${label}: ${tint ?? 'gray'}`}
        data-tint={tint ?? 'gray'}
        className="size-6 shrink-0 rounded-sm border border-edge"
      />
      <PopoverContent aria-label={label} className="grid grid-cols-5 gap-1.5 p-2">
        {tints.map((one) => (
          <button
            key={one}
            type="button"
            aria-label={one}
            aria-pressed={one === tint}
            data-tint={one}
            onClick={() => {
              onTint(one)
              setOpen(false)
            }}
            className="grid size-7 place-items-center rounded-sm border border-edge"
          >
            {one === tint && <Check aria-hidden className="size-4" />}
          </button>
        ))}
      </PopoverContent>
    </Popover>
  )
}
