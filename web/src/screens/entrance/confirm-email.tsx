import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { confirmEmail } from '../../api/account.ts'
import { problemsOf } from '../../api/problems.ts'
import { sessionQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { showToast } from '../../components/toast-store.ts'
import { Entrance } from './entrance.tsx'
import { EntranceLink } from './entrance-link.tsx'

const route = getRouteApi('/confirm-email')

/** Opened by the link of a mail: proves the address of the account that is signed in. */
export function ConfirmEmail() {
  const { token = '' } = route.useSearch()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const confirming = useMutation({
    mutationFn: () => confirmEmail(token),
    onSuccess: async () => {
      queries.clear()
      showToast({ message: 'Your email address is confirmed' })
      await navigate({ to: '/' })
    },
  })
  const problem = problemsOf(confirming.error, []).general
  return (
    <Entrance
      title="Confirm your email address"
      text={`You are signed in as ${session.user.name} (${session.user.email}).`}
      below={<EntranceLink to="/">Go to Kith</EntranceLink>}
    >
      <div className="grid gap-4">
        <FormProblem text={problem} />
        <Button look="primary" disabled={confirming.isPending} onClick={() => confirming.mutate()}>
          This is my address
        </Button>
      </div>
    </Entrance>
  )
}
