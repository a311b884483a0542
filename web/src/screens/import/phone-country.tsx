import { phoneCountries } from '@kith/contract/import/phone-country'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'

type Props = { country: string | undefined; onCountry(country: string | undefined): void }

const TITLE = 'Phone numbers without a country code'

/** Asks where phone numbers without a country code are from. It is not guessed: a wrong one dials someone else. */
export function PhoneCountry({ country, onCountry }: Props) {
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
