import type { Role } from '@kith/contract/abilities'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { invitationsQuery, invite } from '../../../api/invitations.ts'
import { problemsOf } from '../../../api/problems.ts'
import { startQuery } from '../../../api/session.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { Select } from '../../../components/select.tsx'
import { LinkDialog } from '../link-dialog.tsx'
import { isRole, roleNames, rolesGivenBy } from '../role-words.ts'

/** Creates an invitation: for one address, or for anyone with the link. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { slug, name, role: ownRole } = useWorkspace()
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const [role, setRole] = useState<Role>('member')
  const queries = useQueryClient()
  const inviting = useMutation({
    mutationFn: (email: string) => invite(slug, { role, ...(email === '' ? {} : { email }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsQuery(slug).queryKey }),
  })
  if (inviting.data) {
    const { email, mailed, url, unverified_account } = inviting.data
    return (
      <LinkDialog
        title={mailed ? `Invited ${email}` : 'The invitation is ready'}
        text={`${mailed ? `A mail is on its way to ${email}. The same link: ` : `Send this link${email ? ` to ${email}` : ''}. `}It works once, for seven days, and is shown only now.`}
        url={url}
        warning={unverified_account ? warningAbout(email) : undefined}
        onClose={onClose}
      />
    )
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    inviting.mutate(String(new FormData(event.currentTarget).get('email')).trim())
  }
  const problems = problemsOf(inviting.error, ['email', 'role'])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Invite to ${name}`}
      description="Creates a link with which one person can join this workspace."
    >
      <form onSubmit={submit} className="grid gap-4">
        <FormField
          label="Email (optional)"
          hint={
            start?.mail
              ? 'The link is mailed to it, and only this address can use it. Leave it empty for a link that anyone can use.'
              : 'Only this address can use the link. Leave it empty for a link that anyone can use.'
          }
          errors={problems.at('email')}
        >
          <Input name="email" type="email" placeholder="name@example.com" />
        </FormField>
        <FormField label="Role" errors={problems.at('role')}>
          <Select
            value={role}
            onValueChange={(picked) => isRole(picked) && setRole(picked)}
            choices={rolesGivenBy(ownRole).map((one) => ({ value: one, label: roleNames[one] }))}
          />
        </FormField>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={inviting.isPending}>
            Create invitation
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function warningAbout(email: string | null): string {
  return `An account with the address ${email} exists, but it is unverified: another person may have created it. Ask the person whether the account is theirs before you hand over the link.`
}
