import { Plus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Button } from '../components/button.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { Input } from '../components/input.tsx'
import type { EditProps } from './field-view.ts'
import { useEdited } from './use-edited.ts'
import { ValuePopover } from './value-popover.tsx'
import { textsIn } from './values.ts'

type Props = EditProps & { many: boolean; placeholder: string; inputMode?: 'email' | 'tel' | 'url' | 'text' }

/** Edits a list of texts, one to a line. Enter saves; so does leaving it. */
export function TextListEditor({ many, placeholder, inputMode = 'text', ...edit }: Props) {
  const { value, field, onSave, onType, onLeave } = edit
  const known = textsIn(value)
  const [lines, setLines] = useEdited(known.length === 0 ? [''] : known)
  const full = lines.length >= (many ? field.max_values : 1)
  const save = () => {
    const typed = textsOf(lines)
    if (typed.join('\n') === known.join('\n')) onLeave()
    else onSave(typed)
  }
  const change = (next: string[]) => {
    setLines(next)
    onType(textsOf(next))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    save()
  }
  const setLine = (place: number, text: string) => change(lines.with(place, text))
  return (
    <ValuePopover label={field.name} onClose={save} className="w-72 p-2">
      <div className="grid gap-1.5">
        {lines.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <div key={place} className="flex gap-1">
            <Input
              aria-label={`${field.name} ${place + 1}`}
              placeholder={placeholder}
              inputMode={inputMode}
              dir="auto"
              value={line}
              onChange={(event) => setLine(place, event.target.value)}
              onKeyDown={onKeyDown}
            />
            <IconButton label="Remove" onClick={() => change(lines.length === 1 ? [''] : lines.toSpliced(place, 1))}>
              <X />
            </IconButton>
          </div>
        ))}
      </div>
      <div className="mt-2 flex justify-between gap-2">
        {many ? (
          <Button size="small" look="quiet" disabled={full} onClick={() => setLines([...lines, ''])}>
            <Plus aria-hidden />
            {full ? `At most ${field.max_values}` : 'Add another'}
          </Button>
        ) : (
          <span />
        )}
        <Button size="small" look="primary" onClick={save}>
          Save
        </Button>
      </div>
    </ValuePopover>
  )
}

function textsOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter(Boolean)
}
