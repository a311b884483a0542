import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { sessionQuery } from '../../../api/session.ts'
import { useMembers, useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Page, Rows, Section } from '../page.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberRow } from './member-row.tsx'
import { OpenInvitations } from './open-invitations.tsx'
import { RoleTable } from './role-table.tsx'

export function Members() {
  const members = useMembers()
  const { role } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const [inviting, setInviting] = useState(false)
  const may = roleMay(role, 'manage_members')
  return (
    <Page
      title="Members"
      text="The members of this workspace and their roles."
      action={
        may && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden />
            Invite
          </Button>
        )
      }
    >
      <Section title={members.length === 1 ? '1 member' : `${members.length} members`}>
        <Rows label="Members">
          {members.map((member) => (
            <MemberRow key={member.id} member={member} self={member.id === session?.user.id} />
          ))}
        </Rows>
      </Section>
      {may && <OpenInvitations />}
      <Section title="What each role may do" text="These rules apply in the application and in the API.">
        <RoleTable />
      </Section>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  )
}
