import { newId } from '@kith/contract/id'
import { OPTION_LABEL_MAX, OPTIONS_MAX } from '@kith/contract/limits'
import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Input } from '../../../components/input.tsx'
import { SortableList } from '../../../components/sortable-list.tsx'
import { tints } from '../../../components/tint.ts'
import type { DraftOption } from './field-draft.ts'
import { TintPicker } from './tint-picker.tsx'

type Props = { options: readonly DraftOption[]; onOptions(options: readonly DraftOption[]): void }

/** The options of a choice: named, coloured, put in order. Enter begins the next one. */
export function OptionList({ options, onOptions }: Props) {
  const list = useRef<HTMLFieldSetElement>(null)
  const change = (key: string, changes: Partial<DraftOption>) =>
    onOptions(options.map((option) => (option.key === key ? { ...option, ...changes } : option)))
  const add = () => {
    const color = tints[options.length % tints.length] ?? 'gray'
    // The new line is drawn at once, so that it gets what is typed next.
    flushSync(() => onOptions([...options, { key: newId(Date.now()), label: '', color }]))
    const inputs = list.current?.querySelectorAll('input') ?? []
    ;[...inputs].at(-1)?.focus()
  }
  return (
    <fieldset ref={list}>
      <legend className="mb-1.5 text-xs font-medium text-quiet">Options</legend>
      <SortableList
        label="Options"
        items={options}
        idOf={({ key }) => key}
        nameOf={({ label }) => label || 'the option without a name'}
        onOrder={onOptions}
        className="gap-1.5 py-0.5"
      >
        {(option, index) => (
          <>
            <TintPicker
              label={`Colour of ${option.label || `option ${index + 1}`}`}
              tint={option.color}
              onTint={(color) => change(option.key, { color })}
            />
            <Input
              aria-label={`Option ${index + 1}`}
              value={option.label}
              maxLength={OPTION_LABEL_MAX}
              onChange={({ target }) => change(option.key, { label: target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                if (option.label.trim() !== '') add()
              }}
            />
            <IconButton
              label={`Remove ${option.label || `option ${index + 1}`}`}
              onClick={() => onOptions(options.filter(({ key }) => key !== option.key))}
            >
              <X />
            </IconButton>
          </>
        )}
      </SortableList>
      <div className="mt-1.5 flex items-center justify-between gap-3">
        <Button size="small" disabled={options.length >= OPTIONS_MAX} onClick={add}>
          <Plus aria-hidden />
          Add an option
        </Button>
        <p className="text-xs text-faint">Removing an option clears it from records.</p>
      </div>
    </fieldset>
  )
}
