import type { MemberRow as Member } from '@kith/contract/app/members'
import { type Permission, roleMay } from '@kith/contract/permissions'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound, LogOut, MonitorX, MoreHorizontal, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { changeRole, makeResetLink, removeMember } from '../../../api/invitations.ts'
import { membersQuery, useWorkspace, workspaceQuery } from '../../../api/workspace.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Select } from '../../../components/select.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment } from '../../../format/moments.ts'
import { UserAvatar } from '../../../user-avatar.tsx'
import { LinkDialog } from '../link-dialog.tsx'
import { isRole, roleNames, rolesGivenBy } from '../role-words.ts'
import { Unverified } from '../unverified.tsx'
import { EndSessions } from './end-sessions.tsx'

type Props = { member: Member; self: boolean }

export function MemberRow({ member, self }: Props) {
  const { slug, role: ownRole } = useWorkspace()
  const queries = useQueryClient()
  // Owners are changed by owners alone.
  const needed: Permission = member.role === 'owner' ? 'manage_owners' : 'manage_members'
  const may = roleMay(ownRole, needed)
  const failed = ({ message }: Error) => showToast({ tone: 'danger', message })
  const changing = useMutation({
    mutationFn: (role: Member['role']) => changeRole(slug, member.id, role),
    onError: failed,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: membersQuery(slug).queryKey }),
        queries.invalidateQueries({ queryKey: workspaceQuery(slug).queryKey }),
      ]),
  })
  const linking = useMutation({ mutationFn: () => makeResetLink(slug, member.id), onError: failed })
  const [removing, setRemoving] = useState(false)
  const [ending, setEnding] = useState(false)
  return (
    <li className="flex items-center gap-3 py-2.5">
      <UserAvatar id={member.id} name={member.name} size={32} />
      <div className="min-w-0 flex-1" title={`Since ${formatMoment(member.joined_at)}`}>
        <p className="flex items-center gap-2 text-sm font-medium">
          <span dir="auto" className="truncate">
            {member.name}
          </span>
          {self && <Pill>You</Pill>}
          {!member.verified && <Unverified />}
        </p>
        <p className="truncate text-xs text-faint">{member.email}</p>
      </div>
      {may ? (
        <div className="w-26 shrink-0">
          <Select
            label={`Role of ${member.name}`}
            value={changing.isPending ? (changing.variables ?? member.role) : member.role}
            onValueChange={(role) => isRole(role) && changing.mutate(role)}
            choices={rolesGivenBy(ownRole).map((role) => ({ value: role, label: roleNames[role] }))}
          />
        </div>
      ) : (
        <span className="w-26 shrink-0 text-sm text-quiet">{roleNames[member.role]}</span>
      )}
      {may || self ? (
        <Menu>
          <MenuTrigger asChild>
            <IconButton label={`More about ${member.name}`}>
              <MoreHorizontal />
            </IconButton>
          </MenuTrigger>
          <MenuContent align="end">
            {may && !self && (
              <MenuItem icon={<KeyRound />} onSelect={() => linking.mutate()}>
                Create a password link
              </MenuItem>
            )}
            {may && !self && (
              <MenuItem icon={<MonitorX />} onSelect={() => setEnding(true)}>
                End sessions
              </MenuItem>
            )}
            <MenuItem icon={self ? <LogOut /> : <UserMinus />} danger onSelect={() => setRemoving(true)}>
              {self ? 'Leave the workspace' : 'Remove'}
            </MenuItem>
          </MenuContent>
        </Menu>
      ) : (
        <span className="w-8" />
      )}
      {linking.data && (
        <LinkDialog
          title={`Password link for ${member.name}`}
          text="Send it in a way you trust: the person who opens it chooses the new password. It works once, for 24 hours."
          url={linking.data.url}
          onClose={() => linking.reset()}
        />
      )}
      <EndSessions member={member} open={ending} onOpenChange={setEnding} />
      <Removal member={member} self={self} open={removing} onOpenChange={setRemoving} />
    </li>
  )
}

type RemovalProps = Props & { open: boolean; onOpenChange(open: boolean): void }

function Removal({ member, self, open, onOpenChange }: RemovalProps) {
  const { slug, name } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    try {
      await removeMember(slug, member.id)
    } catch (error) {
      return showToast({ tone: 'danger', message: error instanceof Error ? error.message : 'Could not remove.' })
    }
    showToast({ message: self ? `You have left ${name}` : `Removed ${member.name}` })
    if (!self) return queries.invalidateQueries({ queryKey: membersQuery(slug).queryKey })
    queries.removeQueries({ queryKey: ['session'] })
    await navigate({ to: '/' })
  }
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={self ? `Leave ${name}?` : `Remove ${member.name}?`}
      action={self ? 'Leave' : 'Remove'}
      onConfirm={remove}
    >
      {self ? 'You lose' : 'They lose'} access at once, and tokens and connected apps of this workspace are revoked for
      good. Records stay as they are. {self ? 'To come back you need an invitation.' : 'They can be invited again.'}
    </Confirm>
  )
}
