import { hasCountryCode, phoneCountries } from '@kith/contract/import/phone-country'
import { BY_NAME, parseTarget } from '@kith/contract/import/target'
import { roleMay } from '@kith/contract/permissions'
import { type RelatedType, type Resource, resourceIn } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Select } from '../../components/select.tsx'
import { Switch } from '../../components/switch.tsx'
import { appearanceOf } from '../../resources.ts'
import { relatedTypeOf } from './columns/column-names.ts'
import { choicesOf, type ImportDraft, isKind, matchesIn } from './draft.ts'
import { labelOf } from './target-words.ts'

/** What happens to existing records, and how values are read. Only settings that the file needs are asked for. */
export function ImportSettings(props: {
  draft: ImportDraft
  resource: Resource
  hasNewOptions: boolean
  onChange(draft: ImportDraft): void
}) {
  const { draft, resource, hasNewOptions, onChange } = props
  const { role } = useWorkspace()
  const { targets } = draft
  const settings = choicesOf(draft, resource)
  const change = (changes: ImportDraft['chosen']) => onChange({ ...draft, chosen: { ...draft.chosen, ...changes } })
  const many = appearanceOf(resource).many
  const matches = matchesIn(targets, resource)
  const hasDates = draft.scanned.contents.some(
    ({ dates }, at) => dates && dates !== 'iso' && isKind(targets[at], /^Date/, resource),
  )
  const byName = [...new Set(targets.flatMap((name) => foundByName(name, resource)))]
  const hasNumbers = targets.some((name) => isKind(name, /^Number$/, resource))
  return (
    <section aria-label="Existing records" className="mt-8">
      <h2 className="text-sm font-semibold">Existing {many}</h2>
      <div className="mt-2 grid gap-x-4 gap-y-3 sm:grid-cols-2">
        <Choice
          label="What to do"
          value={settings.mode}
          onValue={(mode) => change({ mode })}
          choices={[
            { value: 'create', label: `Create a record for each row` },
            { value: 'upsert', label: 'Update those that exist, create the others' },
            { value: 'update', label: 'Only update those that exist' },
          ]}
        />
        {settings.mode !== 'create' && (
          <Choice
            label="Find them by"
            value={settings.match ?? ''}
            onValue={(match) => change({ match })}
            choices={matches.map((match) => ({ value: match, label: matchLabel(match, resource) }))}
          />
        )}
        {settings.mode !== 'create' && (
          <Choice
            label="Empty cells"
            value={settings.blank}
            onValue={(blank) => change({ blank })}
            choices={[
              { value: 'keep', label: 'Keep what the record has' },
              { value: 'clear', label: 'Clear what the record has' },
            ]}
          />
        )}
        {hasDates && (
          <Choice
            label="Dates are written as"
            value={settings.dates}
            onValue={(dates) => change({ dates })}
            choices={[
              { value: 'dmy', label: 'Day, month, year: 31/12/2026' },
              { value: 'mdy', label: 'Month, day, year: 12/31/2026' },
              { value: 'iso', label: 'Year, month, day: 2026-12-31' },
            ]}
          />
        )}
        {hasNationalNumbers(draft, resource) && (
          <PhoneCountry country={draft.chosen.country} onCountry={(country) => change({ country })} />
        )}
        {hasNumbers && (
          <Choice
            label="Numbers are written as"
            value={settings.decimal}
            onValue={(decimal) => change({ decimal })}
            choices={[
              { value: '.', label: '1,234.50' },
              { value: ',', label: '1.234,50' },
            ]}
          />
        )}
      </div>
      {byName.length > 0 && (
        <SwitchLine
          text={`Create the ${byName.map((to) => appearanceOf(resourceIn(resource.schema, to)).many).join(' and ')} whose name is not found`}
          checked={settings.create_related}
          onChecked={(create_related) => change({ create_related })}
        />
      )}
      {hasNewOptions &&
        (roleMay(role, 'manage_fields') ? (
          <SwitchLine
            text="Create the options that are missing"
            checked={settings.create_options}
            onChecked={(create_options) => change({ create_options })}
          />
        ) : (
          <p className="mt-4 text-sm text-quiet">
            Some options of the file do not exist. Owners and admins can create them. Rows that need them are not
            imported.
          </p>
        ))}
    </section>
  )
}

/** The resource whose records a column finds by their names. */
function foundByName(name: string | null, resource: Resource): RelatedType[] {
  const target = name === null ? undefined : parseTarget(name, resource)
  if (!target || !('by' in target) || target.by !== BY_NAME) return []
  const to = relatedTypeOf(target)
  return to === undefined ? [] : [to]
}

/** Phone numbers without a country code need a country. */
function hasNationalNumbers({ scanned, targets }: ImportDraft, resource: Resource): boolean {
  return targets.some((name, index) => {
    if (!isKind(name, /^Phones$/, resource)) return false
    return scanned.rows.some((row) => /\d/.test(row[index] ?? '') && !hasCountryCode(row[index] ?? ''))
  })
}

function matchLabel(match: string, resource: Resource): string {
  return labelOf(match === 'id' || match.includes('.') ? match : `custom_fields.${match}`, resource)
}

function Choice<V extends string>(props: {
  label: string
  value: V
  onValue(value: V): void
  choices: readonly { value: V; label: string }[]
}): ReactNode {
  const { label, value, onValue, choices } = props
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-xs font-medium text-quiet">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        placeholder="Choose a column first"
        onValueChange={(picked) => {
          const choice = choices.find((one) => one.value === picked)
          if (choice) onValue(choice.value)
        }}
        choices={choices}
      />
    </div>
  )
}

function SwitchLine(props: { text: string; checked: boolean; onChecked(checked: boolean): void }) {
  const { text, checked, onChecked } = props
  const id = useId()
  return (
    <div className="mt-4 flex items-center gap-2">
      <Switch id={id} checked={checked} onCheckedChange={onChecked} />
      <label htmlFor={id} className="text-sm">
        {text}
      </label>
    </div>
  )
}

const TITLE = 'Phone numbers without a country code'

/** Asks where phone numbers without a country code are from. It is not guessed: a wrong one dials someone else. */
function PhoneCountry(props: { country: string | undefined; onCountry(country: string | undefined): void }) {
  const { country, onCountry } = props
  const [open, setOpen] = useState(false)
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const items = phoneCountries()
    .map((one) => ({ value: one.country, label: names.of(one.country) ?? one.country, detail: one.code }))
    .sort((one, other) => one.label.localeCompare(other.label))
  const chosen = items.find(({ value }) => value === country)
  const text = chosen ? `Are from ${chosen.label} (${chosen.detail})` : 'Choose a country'
  return (
    <div className="grid gap-1.5">
      <span aria-hidden className="text-xs font-medium text-quiet">
        {TITLE}
      </span>
      <Popover open={open} onOpenChange={setOpen}>
        <PopoverTrigger asChild>
          <Button aria-label={`${TITLE}: ${text}`} className="w-full min-w-0">
            <span className="min-w-0 flex-1 truncate text-left">{text}</span>
            <ChevronDown aria-hidden className="text-faint" />
          </Button>
        </PopoverTrigger>
        <PopoverContent className="w-72">
          <Combobox
            label="Country of phone numbers"
            placeholder="Find a country"
            items={[{ value: 'none', label: 'Leave them as they are' }, ...items]}
            chosen={[country ?? 'none']}
            onPick={(picked) => {
              setOpen(false)
              onCountry(picked === 'none' ? undefined : picked)
            }}
          />
        </PopoverContent>
      </Popover>
    </div>
  )
}
