import { filterables } from '@kith/contract/filterable'
import type { Resource } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { type Field, useAllFields } from '../../../api/fields.ts'
import { classNames } from '../../../components/class-names.ts'
import { Combobox, type ComboboxItem } from '../../../components/combobox.tsx'
import { inputLook } from '../../../components/input.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { labels } from '../../../properties/property.ts'
import type { Subject } from './filter-tree.ts'

type Props = {
  subject: Subject | undefined
  resource: Resource
  /** Conditions on a related record can also test the record itself. */
  related: boolean
  /** Whether relations are allowed here. */
  relations: boolean
  onPick(subject: Subject): void
}

/** What a condition is about: everything that the API can filter by. */
export function SubjectPicker({ subject, resource, related, relations, onPick }: Props) {
  const [open, setOpen] = useState(false)
  const fields = useAllFields().filter(({ entity_type }) => entity_type === resource.type)
  const shown = subject ? subjectLabel(subject, resource, fields) : 'Choose a field'
  const pick = (value: string) => {
    setOpen(false)
    onPick(subjectIn(value))
  }
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger
        aria-label={`Field: ${shown}`}
        className={classNames(inputLook, 'flex items-center gap-1.5 text-left', !subject && 'text-faint')}
      >
        <span className="min-w-0 flex-1 truncate">{shown}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label="Fields" className="w-64">
        <Combobox label="Choose a field" items={subjectItems(resource, fields, { related, relations })} onPick={pick} />
      </PopoverContent>
    </Popover>
  )
}

function subjectLabel(subject: Subject, resource: Resource, fields: readonly Field[]): string {
  if (subject.kind === 'itself') return `The ${resource.one}`
  if (subject.kind === 'native') return labels[subject.name] ?? subject.name
  return fields.find(({ code }) => code === subject.code)?.name ?? subject.code
}

function subjectItems(
  resource: Resource,
  fields: readonly Field[],
  { related, relations }: { related: boolean; relations: boolean },
): ComboboxItem[] {
  const natives = filterables(resource)
    // Ids are for programs: a person picks records by name.
    .filter(({ kind }) => kind !== 'id')
    .filter(({ kind }) => relations || (kind !== 'member' && kind !== 'record'))
    .map(({ name, kind }) => ({
      value: `native ${name}`,
      label: labels[name] ?? name,
      group: kind === 'record' || kind === 'member' ? 'Relations' : 'Fields',
    }))
  const customs = fields.map((field) => {
    const { icon: Icon } = fieldViews[field.type]
    return { value: `custom ${field.code}`, label: field.name, group: 'Fields', icon: <Icon className="text-faint" /> }
  })
  const itself = related ? [{ value: 'itself', label: `The ${resource.one}`, group: 'Relations' }] : []
  const [name, ...others] = natives
  return [...(name ? [name] : []), ...customs, ...others, ...itself]
}

function subjectIn(value: string): Subject {
  const [kind, name = ''] = value.split(' ')
  if (kind === 'custom') return { kind, code: name, hosts: false }
  return kind === 'native' ? { kind, name } : { kind: 'itself' }
}
