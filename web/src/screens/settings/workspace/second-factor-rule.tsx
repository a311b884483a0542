import { roleMay } from '@kith/contract/permissions'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { requireSecondFactor } from '../../../api/managed-workspace.ts'
import { problemsOf } from '../../../api/problems.ts'
import { useWorkspace, workspaceQuery } from '../../../api/workspace.ts'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Switch } from '../../../components/switch.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Section } from '../page.tsx'

/** Whether members need more than a password to open the workspace. */
export function SecondFactorRule() {
  const { slug, role, requires_second_factor: on } = useWorkspace()
  const queries = useQueryClient()
  const id = useId()
  const changing = useMutation({
    mutationFn: (required: boolean) => requireSecondFactor(slug, required),
    onSuccess: async (_, required) => {
      await queries.invalidateQueries({ queryKey: workspaceQuery(slug).queryKey })
      showToast({ message: required ? 'Members now need a second factor' : 'A second factor is no longer required' })
    },
  })
  return (
    <Section title="Sign-in">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <label htmlFor={id} className="text-sm font-medium">
            Require a second factor
          </label>
          <p id={`${id}-hint`} className="mt-0.5 max-w-130 text-sm text-quiet">
            Members open this workspace only after they signed in with a passkey or with a code of an authenticator app.
            Access tokens and connections keep working.
          </p>
        </div>
        <Switch
          id={id}
          aria-describedby={`${id}-hint`}
          checked={changing.isPending ? changing.variables : on}
          disabled={!roleMay(role, 'manage_workspace') || changing.isPending}
          onCheckedChange={(required) => changing.mutate(required)}
          className="mt-0.5"
        />
      </div>
      {changing.error && (
        <div className="mt-3">
          <FormProblem text={problemsOf(changing.error, []).general} />
        </div>
      )}
    </Section>
  )
}
