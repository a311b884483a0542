import type { RelatedType } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../../components/class-names.ts'
import { Combobox } from '../../../components/combobox.tsx'
import { inputLook } from '../../../components/input.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { textsIn } from '../../../fields/values.ts'
import { RelatedAvatar } from '../../../properties/related-avatar.tsx'
import { useRelatedChoices } from '../../../properties/related-choices.ts'
import { ME } from '../relative/resolve-filter.ts'
import { useMayBeRelative } from './relative-context.ts'
import { useNames } from './use-names.ts'

type Props = { to: RelatedType; name: string; value: unknown; onChange(value: unknown): void }

/** Members or records, by id in the filter and by name on the screen. */
export function RelatedOperand({ to, name, value, onChange }: Props) {
  const ids = textsIn(value)
  const names = useNames(to, ids)
  const shown = ids.length === 0 ? 'Choose' : names.join(', ')
  const [text, setText] = useState('')
  const { choices, ...found } = useRelatedChoices(to, text)
  const mayBeMe = useMayBeRelative() && to === 'users' && 'me'.startsWith(text.trim().toLowerCase())
  const me = { id: ME, type: to, name: 'Me', detail: 'The person who looks at the list' }
  const pick = (id: string) => {
    const next = ids.includes(id) ? ids.filter((known) => known !== id) : [...ids, id]
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <Popover>
      <PopoverTrigger
        aria-label={`Value for ${name}: ${shown}`}
        className={classNames(inputLook, 'flex items-center gap-1.5 text-left')}
      >
        <span className={classNames('min-w-0 flex-1 truncate', ids.length === 0 && 'text-faint')}>{shown}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label={name} className="w-68">
        <Combobox
          label={`Choose ${name}`}
          items={[...(mayBeMe ? [me] : []), ...choices].map((choice) => ({
            value: choice.id,
            label: choice.name,
            ...(choice.detail === undefined ? {} : { detail: choice.detail }),
            icon: <RelatedAvatar related={{ id: choice.id, type: to, name: choice.name }} />,
          }))}
          chosen={ids}
          onPick={pick}
          search={{ text, onText: setText, ...found }}
        />
      </PopoverContent>
    </Popover>
  )
}
