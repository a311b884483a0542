import type { RelatedType } from '@kith/contract/resource'
import { useState } from 'react'
import { Combobox } from '../components/combobox.tsx'
import { useEdited } from '../fields/use-edited.ts'
import { ValuePopover } from '../fields/value-popover.tsx'
import type { Related } from './related.ts'
import { RelatedAvatar } from './related-avatar.tsx'
import { useRelatedChoices } from './related-choices.ts'

type Props = {
  label: string
  to: RelatedType
  /** Several may be chosen; they are saved together when the list closes. */
  many?: boolean
  chosen: readonly Related[]
  onSave(related: readonly Related[]): void
  onType(related: readonly Related[]): void
  onLeave(): void
}

/** Finds members or records by name and picks from them. */
export function RelatedPicker({ label, to, many = false, chosen: known, onSave, onType, onLeave }: Props) {
  const [chosen, setChosen] = useEdited(known)
  const [text, setText] = useState('')
  const { choices, ...found } = useRelatedChoices(to, text)
  const listed =
    text === '' ? [...chosen, ...choices.filter(({ id }) => !chosen.some((one) => one.id === id))] : choices
  const pick = (id: string) => {
    const picked = listed.find((one) => one.id === id)
    const without = chosen.filter((one) => one.id !== id)
    const next = without.length < chosen.length || !picked ? without : many ? [...chosen, picked] : [picked]
    if (!many) return onSave(next)
    setChosen(next)
    onType(next)
  }
  const same = chosen.map(({ id }) => id).join() === known.map(({ id }) => id).join()
  return (
    <ValuePopover label={label} onClose={() => (many && !same ? onSave(chosen) : onLeave())} className="w-68">
      <Combobox
        label={`Choose ${label}`}
        placeholder={label}
        items={listed.map(({ id, type, name, detail }) => ({
          value: id,
          label: name,
          ...(detail === undefined ? {} : { detail }),
          icon: <RelatedAvatar related={{ id, type, name }} />,
        }))}
        chosen={chosen.map(({ id }) => id)}
        onPick={pick}
        search={{ text, onText: setText, ...found }}
      />
    </ValuePopover>
  )
}
