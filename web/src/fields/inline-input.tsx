import { type ComponentProps, type KeyboardEvent, useContext, useLayoutEffect, useRef } from 'react'
import { classNames } from '../components/class-names.ts'
import { EditProblem, EditState } from './edit-state.tsx'

/** An input in the place of a value. Enter, Tab and leaving it save; Escape does not. */
export function InlineInput(
  props: Omit<ComponentProps<'input'>, 'onChange' | 'defaultValue'> & {
    initial: string
    /** `entered` if Enter was pressed, and the input was not just left. */
    onSave(text: string, entered: boolean): void
    onType(text: string): void
    onLeave(entered: boolean): void
    onCancel(): void
  },
) {
  const { initial, onSave, onType, onLeave, onCancel, className, ...rest } = props
  const { problem, revision } = useContext(EditState)
  const done = useRef(false)
  const place = useRef<HTMLInputElement>(null)
  // The text of another tab is taken over in place, so that no key is lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if another tab has typed
  useLayoutEffect(() => {
    if (place.current) place.current.value = initial
  }, [revision])
  const finish = (text: string, entered: boolean) => {
    if (done.current) return
    done.current = true
    if (text === initial) onLeave(entered)
    else onSave(text, entered)
  }
  // Half a date has no value, but the date before it is not to be removed.
  const textOf = ({ validity, value }: HTMLInputElement) => (validity.badInput ? initial : value)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      done.current = true
      onCancel()
    } else if (event.key === 'Enter' || event.key === 'Tab') finish(textOf(event.currentTarget), event.key === 'Enter')
    else {
      event.stopPropagation()
      return
    }
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }
  const input = (
    <input
      ref={(input) => {
        place.current = input
        if (input && document.activeElement !== input) {
          input.focus()
          if (input.type === 'text') input.select()
        }
      }}
      defaultValue={initial}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onInput={({ currentTarget }) => !currentTarget.validity.badInput && onType(currentTarget.value)}
      onBlur={(event) => finish(textOf(event.currentTarget), false)}
      aria-invalid={problem !== undefined}
      className={classNames(
        'h-full min-h-7 w-full min-w-0 rounded-sm bg-paper px-2 text-sm text-ink outline-2 -outline-offset-1 outline-accent',
        className,
      )}
      {...rest}
    />
  )
  return (
    <>
      {input}
      <EditProblem className="absolute top-full left-0 z-20 mt-1 w-max max-w-64 rounded-md bg-raised p-2 shadow-float" />
    </>
  )
}
