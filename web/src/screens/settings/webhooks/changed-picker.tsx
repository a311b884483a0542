import { changedNames } from '@kith/contract/changes/feed-filter'
import { registry } from '@kith/contract/registry'
import { attributesOf, EXTERNAL_IDS, type ResourceName } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { useFields } from '../../../api/fields.ts'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { labels } from '../../../properties/property.ts'
import { appearances } from '../../../resources.ts'

type Props = { resource: ResourceName; names: readonly string[]; onNames(names: readonly string[]): void }

/** Which attributes an update must touch to be sent. None chosen means any. */
export function ChangedPicker({ resource, names, onNames }: Props) {
  const fields = useFields(resource)
  // When and how a record came to be never changes.
  const fixed = attributesOf(registry[resource], 'time', 'source')
  const known = changedNames(registry[resource], { list: fields }).filter((name) => !fixed.includes(name))
  const labelOf = (name: string) =>
    fields.find(({ code }) => name === `custom_fields.${code}`)?.name ?? labelOfAttribute(resource, name)
  // What was chosen earlier can be taken away, even if the field is archived.
  const all = [...new Set([...known, ...names])]
  const pick = (name: string) => onNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
  const [first] = names
  const shown = names.length === 1 && first !== undefined ? labelOf(first) : `${names.length} attributes`
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button active={names.length > 0} className="max-w-56">
          <span className="sr-only">{appearances[resource].many}: </span>
          <span className="truncate">{first === undefined ? 'Any update' : `Updates of ${shown}`}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Attributes" align="end" className="w-68">
        <Combobox
          label="Attributes that an update must touch"
          items={all.map((name) => ({ value: name, label: labelOf(name), detail: name }))}
          chosen={names}
          onPick={pick}
        />
      </PopoverContent>
    </Popover>
  )
}

function labelOfAttribute(resource: ResourceName, name: string): string {
  if (name === EXTERNAL_IDS) return 'External ids'
  const { links } = registry[resource]
  const relation = Object.entries(links).find(([link]) => link === name)?.[1].relation
  return labels[relation ?? name] ?? name
}
