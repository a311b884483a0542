import { useMutation, useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { askForReset } from '../../api/account.ts'
import { problemsOf } from '../../api/problems.ts'
import { startQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'

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
  const asking = useMutation({ mutationFn: askForReset })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    asking.mutate(String(new FormData(event.currentTarget).get('email')))
  }
  if (asking.isSuccess) {
    return (
      <p role="status" className="rounded-md bg-success-soft px-3 py-2 text-sm text-success">
        If there is an account with this address, a link is on its way. It works for one hour.
      </p>
    )
  }
  const problems = problemsOf(asking.error, ['email'])
  return (
    <form onSubmit={submit} className="grid gap-4">
      <FormField label="Email" errors={problems.at('email')}>
        <Input name="email" type="email" autoComplete="username" required autoFocus />
      </FormField>
      <FormProblem text={problems.general} />
      <Button type="submit" look="primary" disabled={asking.isPending}>
        Send the link
      </Button>
    </form>
  )
}
