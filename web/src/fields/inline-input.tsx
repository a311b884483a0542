import { type ComponentProps, type KeyboardEvent, useRef } from 'react'
import { classNames } from '../components/class-names.ts'

type Props = Omit<ComponentProps<'input'>, 'onChange' | 'defaultValue'> & {
  initial: string
  onSave(text: string): void
  onCancel(): void
}

/** An input in the place of a value. Enter, Tab and leaving it save; Escape does not. */
export function InlineInput({ initial, onSave, onCancel, className, ...rest }: Props) {
  const done = useRef(false)
  const finish = (text: string | undefined) => {
    if (done.current) return
    done.current = true
    if (text === undefined || text === initial) onCancel()
    else onSave(text)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') finish(undefined)
    else if (event.key === 'Enter' || event.key === 'Tab') finish(event.currentTarget.value)
    else {
      event.stopPropagation()
      return
    }
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      ref={(input) => {
        if (input && document.activeElement !== input) {
          input.focus()
          if (input.type === 'text') input.select()
        }
      }}
      defaultValue={initial}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onBlur={(event) => finish(event.currentTarget.value)}
      className={classNames(
        'h-full min-h-7 w-full min-w-0 rounded-sm bg-paper px-2 text-sm text-ink outline-2 -outline-offset-1 outline-accent',
        className,
      )}
      {...rest}
    />
  )
}
