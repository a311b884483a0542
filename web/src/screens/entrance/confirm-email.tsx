import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { confirmEmail } from '../../api/account.ts'
import { sessionQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'

const route = getRouteApi('/confirm-email')

/** Opened by the link of a mail: proves the address of the account that is signed in. */
export function ConfirmEmail() {
  const { token = '' } = route.useSearch()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const confirming = useSave(() => confirmEmail(token), {
    next: async () => {
      queries.clear()
      await navigate({ to: '/' })
    },
    message: 'Your email address is confirmed',
  })
  return (
    <Entrance
      title="Confirm your email address"
      text={`You are signed in as ${session.user.name} (${session.user.email}).`}
      below={<EntranceLink to="/">Go to Kith</EntranceLink>}
    >
      <div className="grid gap-4">
        <FormProblem error={confirming.error} />
        <Button look="primary" disabled={confirming.isPending} onClick={() => confirming.mutate()}>
          This is my address
        </Button>
      </div>
    </Entrance>
  )
}
