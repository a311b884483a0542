import { cloneElement, type ReactElement, useId } from 'react'

type Props = {
  label: string
  /** Said below the control while there is no problem. */
  hint?: string
  /** The problems of this field, as the service named them. */
  errors?: readonly string[] | undefined
  children: ReactElement<{ id?: string; 'aria-invalid'?: boolean; 'aria-describedby'?: string }>
}

/** A labelled control of a form, with its hint and what is wrong with it. */
export function FormField({ label, hint, errors, children }: Props) {
  const id = useId()
  const invalid = errors !== undefined && errors.length > 0
  const told = invalid ? errors.join(' ') : hint
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-xs font-medium text-quiet">
        {label}
      </label>
      {cloneElement(children, { id, 'aria-invalid': invalid, 'aria-describedby': told ? `${id}-told` : undefined })}
      {told && (
        <p id={`${id}-told`} className={invalid ? 'text-xs text-danger' : 'text-xs text-faint'}>
          {told}
        </p>
      )}
    </div>
  )
}
