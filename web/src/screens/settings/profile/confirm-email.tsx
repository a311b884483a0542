import { useMutation, useQuery } from '@tanstack/react-query'
import { sendConfirmation } from '../../../api/account.ts'
import { problemsOf } from '../../../api/problems.ts'
import { startQuery } from '../../../api/session.ts'
import { Button } from '../../../components/button.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Unverified } from '../unverified.tsx'

/** For an account that has not proved its address: how to do so. */
export function ConfirmEmail() {
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const sending = useMutation({ mutationFn: sendConfirmation })
  if (!start) return null
  return (
    <div className="grid justify-items-start gap-2 text-sm text-quiet">
      <Unverified />
      <p>{start.mail ? WITH_MAIL : WITHOUT_MAIL}</p>
      {start.mail && (
        <Button size="small" disabled={sending.isPending || sending.isSuccess} onClick={() => sending.mutate()}>
          {sending.isSuccess ? 'Mail sent' : 'Send the mail again'}
        </Button>
      )}
      {sending.isSuccess && <p role="status">Open the link in the newest mail. Earlier links no longer work.</p>}
      <FormProblem text={problemsOf(sending.error, []).general} />
    </div>
  )
}

const WITH_MAIL =
  'Confirm that this address is yours with the link in the mail that we sent. Until then, other members see that you are ' +
  'unverified, and you cannot accept invitations that were sent to this address.'

const WITHOUT_MAIL =
  'Other members see that this address is unverified. This installation sends no mail: ask its operator to verify you.'
