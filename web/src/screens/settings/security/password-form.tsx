import { PASSWORD_MAX, PASSWORD_MIN } from '@kith/contract/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { changePassword, openSessionsQuery } from '../../../api/account.ts'
import { problemsOf } from '../../../api/problems.ts'
import { sessionQuery } from '../../../api/session.ts'
import { Button } from '../../../components/button.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { PasswordInput } from '../../../components/password-input.tsx'
import { showToast } from '../../../components/toast-store.ts'

export function PasswordForm() {
  const form = useRef<HTMLFormElement>(null)
  const queries = useQueryClient()
  const changing = useMutation({
    mutationFn: changePassword,
    onSuccess: async () => {
      form.current?.reset()
      showToast({ message: 'The password is changed. Other sessions have ended.' })
      await Promise.all([
        queries.invalidateQueries({ queryKey: openSessionsQuery.queryKey }),
        queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ])
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    changing.mutate({
      current_password: String(typed.get('current_password')),
      new_password: String(typed.get('new_password')),
    })
  }
  const problems = problemsOf(changing.error, ['current_password', 'new_password'])
  return (
    <form ref={form} onSubmit={submit} className="grid max-w-90 gap-4">
      <FormField label="Current password" errors={problems.at('current_password')}>
        <PasswordInput name="current_password" autoComplete="current-password" required />
      </FormField>
      <FormField
        label="New password"
        hint={`At least ${PASSWORD_MIN} characters.`}
        errors={problems.at('new_password')}
      >
        <PasswordInput
          name="new_password"
          autoComplete="new-password"
          required
          minLength={PASSWORD_MIN}
          maxLength={PASSWORD_MAX}
        />
      </FormField>
      <FormProblem text={problems.general} />
      <div>
        <Button type="submit" look="primary" disabled={changing.isPending}>
          Change password
        </Button>
      </div>
    </form>
  )
}
