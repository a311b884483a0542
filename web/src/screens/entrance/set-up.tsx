import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createWorkspace, setUp } from '../../api/account.ts'
import { sessionQuery, startQuery } from '../../api/session.ts'
import { Checkbox, Input } from '../../components/controls.tsx'
import { Form, FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'
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
        It is in the log of the service. While there are no accounts, every restart prints it again.
      </p>
    </Entrance>
  )
}

function SetUpForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [sample, setSample] = useState(true)
  const making = useSave(setUp, {
    next: async ({ slug }) => {
      queries.clear()
      await navigate({ to: '/$workspace', params: { workspace: slug } })
    },
  })
  const submit = (typed: (name: string) => string) => {
    const account = { name: typed('name'), email: typed('email'), password: typed('password') }
    making.mutate({ token, ...account, workspace_name: typed('workspace_name'), sample })
  }
  return (
    <Entrance title="Welcome to Kith" text="Create your account and the first workspace. You will be its owner.">
      <Form saving={making} onSubmit={submit} action="Set up Kith" busy="Setting up…" wide>
        <NewAccountFields />
        <FormField label="Workspace" name="workspace_name" hint="Your company or team. It can be renamed.">
          <Input autoComplete="organization" required maxLength={255} placeholder="Acme" />
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
      </Form>
    </Entrance>
  )
}

/** For users without a workspace, or who want another one. */
export function NewWorkspace() {
  const navigate = useNavigate()
  const making = useSave(createWorkspace, {
    reload: [sessionQuery.queryKey],
    next: ({ slug }) => navigate({ to: '/$workspace', params: { workspace: slug } }),
  })
  const { data: session } = useQuery(sessionQuery)
  if (session?.workspace_problem) {
    return (
      <Entrance
        title="No new workspace"
        text={session.workspace_problem}
        below={<EntranceLink to="/">Back</EntranceLink>}
      >
        {null}
      </Entrance>
    )
  }
  return (
    <Entrance
      title="Create a workspace"
      text="Each workspace has its own records, fields and members. Workspaces share nothing."
      below={<EntranceLink to="/">Back</EntranceLink>}
    >
      <Form saving={making} onSubmit={(typed) => making.mutate(typed('name'))} action="Create workspace" wide>
        <FormField label="Name" name="name" hint="Your company or team. It can be renamed.">
          <Input autoComplete="organization" required maxLength={255} autoFocus />
        </FormField>
      </Form>
    </Entrance>
  )
}
