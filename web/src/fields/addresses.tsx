import { Globe, Link, type LucideIcon, Mail, Phone, Plus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { Input } from '../components/controls.tsx'
import { useEdited } from './edit-state.tsx'
import type { EditProps, FieldView } from './field-view.ts'
import { TextListOperand } from './operands.tsx'
import { ValuePopover } from './value-popover.tsx'
import { textsIn } from './values.ts'

export const email = addressView({
  name: 'Email',
  about: 'One or several email addresses',
  icon: Mail,
  width: 220,
  hrefOf: (address) => `mailto:${address}`,
  placeholder: 'name@example.com',
  inputMode: 'email',
})

export const phone = addressView({
  name: 'Phone',
  about: 'Phone numbers with country code',
  icon: Phone,
  width: 160,
  hrefOf: (number) => `tel:${number}`,
  placeholder: '+1 415 555 0100',
  inputMode: 'tel',
})

export const domain = addressView({
  name: 'Domain',
  about: 'Domains of an organisation',
  icon: Globe,
  width: 180,
  hrefOf: (host) => `https://${host}`,
  placeholder: 'example.com',
  inputMode: 'url',
})

export const link = addressView({
  name: 'Link',
  about: 'Web addresses',
  icon: Link,
  width: 200,
  hrefOf: (address) => address,
  shownAs: (address) => address.replace(/^https?:\/\//, ''),
  placeholder: 'https://example.com',
  inputMode: 'url',
})

/** A field of one or several addresses, each of which opens something outside of the application. */
function addressView(address: {
  name: string
  about: string
  icon: LucideIcon
  width: number
  hrefOf(text: string): string
  shownAs?: (text: string) => string
  placeholder: string
  inputMode: 'email' | 'tel' | 'url'
}): FieldView {
  const { name, about, icon, width, hrefOf, shownAs, placeholder, inputMode } = address
  return {
    name,
    group: 'Addresses',
    about,
    icon,
    width,
    leadsAway: true,
    Show: ({ value }) => <TextLinks texts={textsIn(value)} hrefOf={hrefOf} shownAs={shownAs} />,
    Edit: (props) => (
      <TextListEditor {...props} many={props.field.multiple} placeholder={placeholder} inputMode={inputMode} />
    ),
    Operand: TextListOperand,
  }
}

/** Values that lead out of the application: each is a link, the rest of the place edits. */
function TextLinks(props: {
  texts: readonly string[]
  hrefOf(text: string): string
  shownAs?: ((text: string) => string) | undefined
}) {
  const { texts, hrefOf, shownAs = (text) => text } = props
  if (texts.length === 0) return null
  return (
    <span title={texts.join('\n')} className="block truncate">
      {texts.map((text, place) => (
        <span key={text}>
          {place > 0 && ', '}
          <a
            href={hrefOf(text)}
            target="_blank"
            rel="noreferrer"
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
            className="underline-offset-2 hover:text-accent hover:underline"
          >
            {shownAs(text)}
          </a>
        </span>
      ))}
    </span>
  )
}

/** Edits a list of texts, one to a line. Enter saves; so does leaving it. */
function TextListEditor(
  props: EditProps & { many: boolean; placeholder: string; inputMode?: 'email' | 'tel' | 'url' | 'text' },
) {
  const { many, placeholder, inputMode = 'text', ...edit } = props
  const { value, field, onSave, onType, onLeave, onCancel } = edit
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
    <ValuePopover label={field.name} onClose={save} onCancel={onCancel} className="w-72 p-2">
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
