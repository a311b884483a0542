import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { setUp } from '../../api/account.ts'
import { problemsOf } from '../../api/problems.ts'
import { startQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'
import { NewAccountFields } from './new-account-fields.tsx'

const route = getRouteApi('/set-up')

/** The first start: creates the owner and the workspace, with the link that the service printed. */
export function SetUp() {
  const { token } = route.useSearch()
  const { data: start } = useQuery(startQuery)
  if (start && !start.needs_set_up) {
    return (
      <Entrance title="Kith is set up" text="This installation already has an owner.">
        <EntranceLink to="/sign-in">Sign in</EntranceLink>
      </Entrance>
    )
  }
  if (token === undefined) return <NoLink />
  return <SetUpForm token={token} />
}

function NoLink() {
  return (
    <Entrance
      title="Set up Kith"
      text="There are no accounts yet. The service printed a link when it started: open it to create the first account."
    >
      <p className="rounded-md border border-line bg-sunk px-3 py-2 font-mono text-xs wrap-anywhere text-quiet">
        {window.location.origin}/set-up?token=…
      </p>
      <p className="mt-3 text-sm text-quiet">
        You find it in the log of the service. While there are no accounts, every restart prints it again.
      </p>
    </Entrance>
  )
}

function SetUpForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [sample, setSample] = useState(true)
  const making = useMutation({
    mutationFn: setUp,
    onSuccess: async ({ slug }) => {
      queries.clear()
      await navigate({ to: '/$workspace', params: { workspace: slug } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const text = (name: string) => String(typed.get(name))
    making.mutate({
      token,
      name: text('name'),
      email: text('email'),
      password: text('password'),
      workspace_name: text('workspace_name'),
      sample,
    })
  }
  const problems = problemsOf(making.error, ['name', 'email', 'password', 'workspace_name'])
  return (
    <Entrance title="Welcome to Kith" text="Create your account and the first workspace. You will be its owner.">
      <form onSubmit={submit} className="grid gap-4">
        <NewAccountFields problems={problems} />
        <FormField
          label="Workspace"
          hint="Your company or team. It can be renamed."
          errors={problems.at('workspace_name')}
        >
          <Input name="workspace_name" autoComplete="organization" required maxLength={255} placeholder="Acme" />
        </FormField>
        <label htmlFor="set-up-sample" className="flex items-start gap-2.5 text-sm">
          <Checkbox
            id="set-up-sample"
            className="mt-0.5"
            checked={sample}
            onCheckedChange={(checked) => setSample(checked === true)}
          />
          <span>
            Fill it with sample records
            <span className="block text-xs text-faint">Made-up companies, people and deals, to look around.</span>
          </span>
        </label>
        <FormProblem text={problems.general} />
        <Button type="submit" look="primary" disabled={making.isPending}>
          {making.isPending ? 'Setting up…' : 'Set up Kith'}
        </Button>
      </form>
    </Entrance>
  )
}
