import type { MemberRow } from '@kith/contract/app/members'
import { useMutation } from '@tanstack/react-query'
import { endSessionsOf } from '../../../api/invitations.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { showToast } from '../../../components/toast-store.ts'

type Props = { member: MemberRow; open: boolean; onOpenChange(open: boolean): void }

/** Makes a member sign in again to open this workspace. */
export function EndSessions({ member, open, onOpenChange }: Props) {
  const { slug, name } = useWorkspace()
  const ending = useMutation({
    mutationFn: () => endSessionsOf(slug, member.id),
    onSuccess: () => showToast({ message: `Ended the sessions of ${member.name} in ${name}` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
  })
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={`End the sessions of ${member.name}?`}
      action="End sessions"
      onConfirm={() => ending.mutate()}
    >
      They must sign in again to open {name}. Their access tokens and connections keep working, and so do other
      workspaces.
    </Confirm>
  )
}
