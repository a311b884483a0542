import { PASSWORD_MAX, PASSWORD_MIN } from '@kith/contract/limits'
import type { Problems } from '../../api/problems.ts'
import { FormField } from '../../components/form-field.tsx'
import { Input } from '../../components/input.tsx'
import { PasswordInput } from '../../components/password-input.tsx'

/** The fields of a new account. A known email address cannot be changed. */
export function NewAccountFields({ problems, email }: { problems: Problems; email?: string | null }) {
  return (
    <>
      <FormField label="Your name" errors={problems.at('name')}>
        <Input name="name" autoComplete="name" required maxLength={255} autoFocus />
      </FormField>
      <FormField label="Email" errors={problems.at('email')}>
        <Input
          name="email"
          type="email"
          autoComplete="username"
          required
          {...(email ? { value: email, readOnly: true } : {})}
        />
      </FormField>
      <NewPasswordField problems={problems} name="password" />
    </>
  )
}

type PasswordProps = { problems: Problems; name: 'password' | 'new_password'; label?: string }

export function NewPasswordField({ problems, name, label = 'Password' }: PasswordProps) {
  return (
    <FormField label={label} hint={`At least ${PASSWORD_MIN} characters.`} errors={problems.at(name)}>
      <PasswordInput
        name={name}
        autoComplete="new-password"
        required
        minLength={PASSWORD_MIN}
        maxLength={PASSWORD_MAX}
      />
    </FormField>
  )
}
