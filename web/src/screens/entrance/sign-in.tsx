import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { signIn } from '../../api/factors.ts'
import { problemsOf } from '../../api/problems.ts'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { PasswordInput } from '../../components/password-input.tsx'
import { CodeStep } from './code-step.tsx'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'
import { OtherWays } from './other-ways.tsx'
import { providerProblem } from './provider-problem.ts'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/sign-in')

export function SignIn() {
  const { next, email, problem } = route.useSearch()
  const enter = useEnter(next)
  const [asked, setAsked] = useState(false)
  const entry = useMutation({
    mutationFn: signIn,
    onSuccess: ({ needs_code }) => (needs_code ? setAsked(true) : enter()),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    entry.mutate({ email: String(typed.get('email')), password: String(typed.get('password')) })
  }
  if (asked) return <CodeStep onDone={enter} onBack={() => setAsked(false)} />
  const refused = problemsOf(entry.error, []).general
  return (
    <Entrance title="Sign in to Kith" below={<EntranceLink to="/forgot-password">Forgot your password?</EntranceLink>}>
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Email">
          <Input
            name="email"
            type="email"
            autoComplete="username webauthn"
            required
            defaultValue={email}
            autoFocus={!email}
          />
        </FormField>
        <FormField label="Password">
          <PasswordInput name="password" autoComplete="current-password" required autoFocus={email !== undefined} />
        </FormField>
        <FormProblem text={refused ?? (entry.isIdle ? providerProblem(problem) : undefined)} />
        <Button type="submit" look="primary" disabled={entry.isPending}>
          {entry.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <OtherWays next={next} onDone={enter} />
    </Entrance>
  )
}
