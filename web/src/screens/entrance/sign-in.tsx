import { KithError } from '@kith/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { signIn } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Input } from '../../components/input.tsx'
import { Entrance } from './entrance.tsx'

const route = getRouteApi('/sign-in')

export function SignIn(): ReactNode {
  const { next } = route.useSearch()
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
    <Entrance title="Sign in to Kith">
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Email">
          <Input name="email" type="email" autoComplete="username" required />
        </FormField>
        <FormField label="Password">
          <Input name="password" type="password" autoComplete="current-password" required />
        </FormField>
        {entry.error && (
          <p role="alert" className="text-sm text-danger">
            {told(entry.error)}
          </p>
        )}
        <Button type="submit" look="primary" disabled={entry.isPending}>
          Sign in
        </Button>
      </form>
    </Entrance>
  )
}

function told(error: Error): string {
  const seconds = error instanceof KithError ? error.retry_after : null
  return seconds === null ? error.message : `${error.message} Try again in ${seconds} seconds.`
}
