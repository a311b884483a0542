import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { createWorkspace } from '../../api/account.ts'
import { problemsOf } from '../../api/problems.ts'
import { sessionQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'

/** For users without a workspace, or who want another one. */
export function NewWorkspace() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const making = useMutation({
    mutationFn: createWorkspace,
    onSuccess: async ({ slug }) => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      await navigate({ to: '/$workspace', params: { workspace: slug } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    making.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  const problems = problemsOf(making.error, ['name'])
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
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Name" hint="Your company or team. It can be renamed." errors={problems.at('name')}>
          <Input name="name" autoComplete="organization" required maxLength={255} autoFocus />
        </FormField>
        <FormProblem text={problems.general} />
        <Button type="submit" look="primary" disabled={making.isPending}>
          Create workspace
        </Button>
      </form>
    </Entrance>
  )
}
