import type { ResourceName } from '@kith/contract/resource'
import { useLocation } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { formatDayExactly } from '../../format/moments.ts'
import { useNamedDraft } from '../../properties/named-draft.ts'
import { appearances } from '../../resources.ts'
import { valueOn } from './on-day.ts'

type Props = { resource: ResourceName; field: Field; day: string }

/** Makes a record on a day: a name and Enter. */
export function NewOnDay({ resource, field, day }: Props) {
  // A name that was left unfinished is open from the beginning.
  const [open, setOpen] = useState<boolean>()
  const { one } = appearances[resource]
  const label = `New ${one} on ${formatDayExactly(day)}`
  const { typed, isWaiting, problem, type, create } = useNamedDraft({
    resource,
    at: `day ${field.code} ${day}`,
    label,
    page: useLocation({ select: ({ href }) => href }),
    values: { custom_fields: { [field.code]: valueOn(day, field) } },
    shown: open !== false,
    onCreated: () => setOpen(false),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create()
  }
  return (
    <Popover open={open ?? typed !== ''} onOpenChange={setOpen}>
      <PopoverTrigger
        aria-label={label}
        className="grid size-5 place-items-center rounded-sm text-faint opacity-0 group-hover:opacity-100 hover:bg-hover focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      >
        <Plus aria-hidden className="size-3.5" />
      </PopoverTrigger>
      <PopoverContent aria-label={label} className="w-72 p-2">
        <form onSubmit={submit} className="flex gap-2">
          <Input
            dir="auto"
            aria-label={`New ${one}`}
            placeholder={`New ${one}`}
            value={typed}
            readOnly={isWaiting}
            onChange={(event) => type(event.target.value)}
          />
          <Button type="submit" look="primary" disabled={isWaiting}>
            Add
          </Button>
        </form>
        {problem !== undefined && (
          <p role="alert" className="mt-1 text-xs text-danger">
            Not saved: {problem}
          </p>
        )}
      </PopoverContent>
    </Popover>
  )
}
