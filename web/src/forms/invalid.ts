type Control = Pick<HTMLInputElement, 'type' | 'minLength' | 'validationMessage'> & {
  validity: Pick<ValidityState, 'valid' | 'valueMissing' | 'tooShort' | 'typeMismatch'>
}

/** What is wrong with a control, in our own words and in its place. Undefined once it is corrected. */
export function wrongWith(label: string, control: Control | undefined): string | undefined {
  if (!control || control.validity.valid) return undefined
  const { valueMissing, tooShort, typeMismatch } = control.validity
  if (valueMissing) return `${label} is missing.`
  if (tooShort) return `${label} needs at least ${control.minLength} characters.`
  if (typeMismatch && control.type === 'email') return 'Enter an email address, such as ada@example.com.'
  return control.validationMessage
}
