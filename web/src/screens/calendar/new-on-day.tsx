import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { useRecordCreate } from '../../api/record-changes.ts'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { formatDayExactly } from '../../format/moments.ts'
import { appearances } from '../../resources.ts'
import { valueOn } from './on-day.ts'

type Props = { resource: ResourceName; field: Field; day: string }

/** Makes a record on a day: a name and Enter. */
export function NewOnDay({ resource, field, day }: Props) {
  const [open, setOpen] = useState(false)
  // What was typed stays until it is stored, also if the popover is closed.
  const [name, setName] = useState('')
  const create = useRecordCreate(resource)
  const { one } = appearances[resource]
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '' || create.isPending) return
    const input = { [registry[resource].label]: name.trim(), custom_fields: { [field.code]: valueOn(day, field) } }
    await create.mutateAsync(input).then(
      () => {
        setName('')
        setOpen(false)
      },
      () => {},
    )
  }
  const label = `New ${one} on ${formatDayExactly(day)}`
  return (
    <Popover open={open} onOpenChange={setOpen}>
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
            value={name}
            onChange={(event) => {
              if (create.error) create.reset()
              setName(event.target.value)
            }}
          />
          <Button type="submit" look="primary" disabled={create.isPending}>
            Add
          </Button>
        </form>
        {create.error && (
          <p role="alert" className="mt-1 text-xs text-danger">
            {create.error.message}
          </p>
        )}
      </PopoverContent>
    </Popover>
  )
}
