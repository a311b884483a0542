import { PASSWORD_MAX, PASSWORD_MIN } from '@kith/contract/limits'
import { Input, PasswordInput } from '../../components/controls.tsx'
import { FormField } from '../../forms/form.tsx'

/** The fields of a new account. A known email address cannot be changed. */
export function NewAccountFields({ email }: { email?: string | null }) {
  return (
    <>
      <FormField label="Your name" name="name">
        <Input autoComplete="name" required maxLength={255} autoFocus />
      </FormField>
      <FormField label="Email" name="email">
        <Input type="email" autoComplete="username" required {...(email ? { value: email, readOnly: true } : {})} />
      </FormField>
      <NewPasswordField name="password" label="Password" />
    </>
  )
}

export function NewPasswordField({ name, label }: { name: 'password' | 'new_password'; label: string }) {
  return (
    <FormField label={label} name={name} hint={`At least ${PASSWORD_MIN} characters.`}>
      <PasswordInput autoComplete="new-password" required minLength={PASSWORD_MIN} maxLength={PASSWORD_MAX} />
    </FormField>
  )
}
