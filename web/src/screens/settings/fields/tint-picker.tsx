import { Check } from 'lucide-react'
import { useState } from 'react'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { tints } from '../../../components/tint.ts'

type Props = { label: string; tint: string | null; onTint(tint: string): void }

/** One of the soft colours of options. */
export function TintPicker({ label, tint, onTint }: Props) {
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
