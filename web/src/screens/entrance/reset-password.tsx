import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { askForReset, resetPassword } from '../../api/account.ts'
import { startQuery } from '../../api/session.ts'
import { Input } from '../../components/controls.tsx'
import { Skeleton } from '../../components/states.tsx'
import { Form, FormField, FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'
import { NewPasswordField } from './new-account-fields.tsx'

const route = getRouteApi('/reset-password')

/**
 * Opened by the link of a mail or of an admin: a new password, and all other sessions end. The link of a new account
 * sets its first password.
 */
export function ResetPassword() {
  const { token = '', first = false } = route.useSearch()
  const navigate = useNavigate()
  const resetting = useSave((new_password: string) => resetPassword({ token, new_password }), {
    next: () => navigate({ to: '/sign-in' }),
    message: 'The password is set. Sign in with it.',
  })
  return (
    <Entrance
      title={first ? 'Choose a password' : 'Choose a new password'}
      text={
        first
          ? 'You sign in with it and your email address.'
          : 'You will be signed out everywhere. Your access tokens and connected apps are revoked, your invitations are withdrawn, your webhooks are disabled and your imports stop. Passkeys and authenticator apps stay.'
      }
      below={<EntranceLink to="/forgot-password">Ask for another link</EntranceLink>}
    >
      <Form
        saving={resetting}
        onSubmit={(typed) => resetting.mutate(typed('new_password'))}
        action="Set the password"
        wide
      >
        <NewPasswordField name="new_password" label={first ? 'Password' : 'New password'} />
      </Form>
    </Entrance>
  )
}

const back = <EntranceLink to="/sign-in">Back to sign in</EntranceLink>

/** Requests a link by mail. If the service sends no mail, an admin creates it. */
export function ForgotPassword() {
  const { data: start, error } = useQuery(startQuery)
  if (start && !start.mail) {
    return (
      <Entrance
        title="Forgot your password?"
        text="This installation sends no mail. Ask an owner or admin of your workspace for a link: they can create one in the settings, under Members."
        below={back}
      />
    )
  }
  return (
    <Entrance title="Forgot your password?" text="We send you a link to choose a new one." below={back}>
      {start ? <ForgotForm /> : error ? <FormProblem text={error.message} /> : <Skeleton className="h-20" />}
    </Entrance>
  )
}

function ForgotForm() {
  const asking = useSave(askForReset)
  if (asking.isSuccess) {
    return (
      <p role="status" className="rounded-md bg-success-soft px-3 py-2 text-sm text-success">
        If there is an account with this address, a link is on its way. It works for one hour.
      </p>
    )
  }
  return (
    <Form saving={asking} onSubmit={(typed) => asking.mutate(typed('email'))} action="Send the link" wide>
      <FormField label="Email" name="email">
        <Input type="email" autoComplete="username" required autoFocus />
      </FormField>
    </Form>
  )
}
