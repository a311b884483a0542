import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { problemsOf } from '../../api/problems.ts'
import { signIn } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { PasswordInput } from '../../components/password-input.tsx'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'

const route = getRouteApi('/sign-in')

export function SignIn() {
  const { next, email } = route.useSearch()
  const router = useRouter()
  const queries = useQueryClient()
  const entry = useMutation({
    mutationFn: signIn,
    onSuccess: async () => {
      queries.clear()
      const target = next?.startsWith('/') && !next.startsWith('//') ? next : '/'
      // A query that was signed must stay as it is to the letter, and the router writes addresses in its own way.
      if (target.startsWith('/oauth/')) window.location.assign(target)
      else await router.navigate({ href: target })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    entry.mutate({ email: String(typed.get('email')), password: String(typed.get('password')) })
  }
  return (
    <Entrance title="Sign in to Kith" below={<EntranceLink to="/forgot-password">Forgot your password?</EntranceLink>}>
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Email">
          <Input name="email" type="email" autoComplete="username" required defaultValue={email} autoFocus={!email} />
        </FormField>
        <FormField label="Password">
          <PasswordInput name="password" autoComplete="current-password" required autoFocus={email !== undefined} />
        </FormField>
        <FormProblem text={problemsOf(entry.error, []).general} />
        <Button type="submit" look="primary" disabled={entry.isPending}>
          {entry.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </Entrance>
  )
}
