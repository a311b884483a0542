import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { resetPassword } from '../../api/account.ts'
import { problemsOf } from '../../api/problems.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { showToast } from '../../components/toast-store.ts'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'
import { NewPasswordField } from './new-account-fields.tsx'

const route = getRouteApi('/reset-password')

/**
 * Opened by the link of a mail or of an admin: a new password, and all other sessions end. The link of a new account
 * sets its first password.
 */
export function ResetPassword() {
  const { token = '', first = false } = route.useSearch()
  const navigate = useNavigate()
  const resetting = useMutation({
    mutationFn: (new_password: string) => resetPassword({ token, new_password }),
    onSuccess: async () => {
      showToast({ message: 'The password is set. Sign in with it.' })
      await navigate({ to: '/sign-in' })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    resetting.mutate(String(new FormData(event.currentTarget).get('new_password')))
  }
  const problems = problemsOf(resetting.error, ['new_password'])
  return (
    <Entrance
      title={first ? 'Choose a password' : 'Choose a new password'}
      text={
        first
          ? 'You sign in with it and your email address.'
          : 'You will be signed out everywhere, and your access tokens and connected apps are revoked.'
      }
      below={<EntranceLink to="/forgot-password">Ask for another link</EntranceLink>}
    >
      <form onSubmit={submit} className="grid gap-4">
        <NewPasswordField problems={problems} name="new_password" label={first ? 'Password' : 'New password'} />
        <FormProblem text={problems.general} />
        <Button type="submit" look="primary" disabled={resetting.isPending}>
          Set the password
        </Button>
      </form>
    </Entrance>
  )
}
