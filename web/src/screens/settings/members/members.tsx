import { type Role, roles } from '@kith/contract/abilities'
import type { MemberRow as Member } from '@kith/contract/app/members'
import { type Permission, permissions, roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Check,
  KeyRound,
  Link2,
  LogOut,
  Mail,
  Minus,
  MonitorX,
  MoreHorizontal,
  UserMinus,
  UserPlus,
} from 'lucide-react'
import { useState } from 'react'
import {
  changeRole,
  endSessionsOf,
  invitationsQuery,
  invite,
  makeResetLink,
  membersQuery,
  removeMember,
  useMembers,
  withdrawInvitation,
} from '../../../api/members.ts'
import { sessionQuery, startQuery } from '../../../api/session.ts'
import { useSlug, useWorkspace, workspaceQuery } from '../../../api/workspace.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Input } from '../../../components/controls.tsx'
import { CodeBlock } from '../../../components/copy.tsx'
import { Confirm, NoticeDialog } from '../../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Select } from '../../../components/select.tsx'
import { formatAgo, formatMoment } from '../../../format/moments.ts'
import { FormDialog, FormField } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { Unverified, UserAvatar } from '../../../user-avatar.tsx'
import { EndingWebhooks } from '../ending-webhooks.tsx'
import { Page, Rows, Section } from '../page.tsx'

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

// The keys of the table are its names.
const names = Object.keys(permissions) as Permission[]

/** The permissions of each role, from the table that the service checks. */
function RoleTable() {
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-line text-xs text-faint">
          <th scope="col" className="py-2 pr-2 text-left font-normal">
            May
          </th>
          {roles.map((role) => (
            <th key={role} scope="col" className="w-14 py-2 text-center font-normal sm:w-20">
              {roleNames[role]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} className="border-b border-line">
            <th scope="row" className="py-1.5 pr-2 text-left font-normal first-letter:uppercase">
              {permissions[name].allows}
            </th>
            {roles.map((role) => (
              <td key={role} className="py-1.5">
                <span className="grid place-items-center">
                  {roleMay(role, name) ? (
                    <Check role="img" aria-label="Yes" className="size-4 text-success" />
                  ) : (
                    <Minus role="img" aria-label="No" className="size-4 text-faint opacity-60" />
                  )}
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Invitations that are not accepted yet. */
function OpenInvitations() {
  const slug = useSlug()
  const { data: invitations = [] } = useQuery(invitationsQuery(slug))
  const withdrawing = useAction((id: string) => withdrawInvitation(slug, id), {
    message: 'Withdrew the invitation. Its link no longer works.',
    reload: [invitationsQuery(slug).queryKey],
  })
  if (invitations.length === 0) return null
  return (
    <Section title="Open invitations">
      <Rows label="Open invitations">
        {invitations.map(({ id, email, role, invited_by, created_at, expires_at }) => {
          const Icon = email ? Mail : Link2
          const named = email ?? 'Anyone with the link'
          return (
            <li key={id} className="flex items-center gap-3 py-2.5">
              <span className="grid size-8 shrink-0 place-items-center text-faint">
                <Icon aria-hidden className="size-4" />
              </span>
              <div className="min-w-0 flex-1">
                <p className="truncate text-sm font-medium">{named}</p>
                <p className="truncate text-xs text-faint" title={`Until ${formatMoment(expires_at)}`}>
                  {roleNames[role]} · by {invited_by.name} {formatAgo(created_at)}
                </p>
              </div>
              <Button
                size="small"
                disabled={withdrawing.isPending}
                aria-label={`Withdraw the invitation of ${named}`}
                onClick={() => withdrawing.mutate(id)}
              >
                Withdraw
              </Button>
            </li>
          )
        })}
      </Rows>
    </Section>
  )
}

/** Creates an invitation: for one address, or for anyone with the link. */
function InviteDialog({ onClose }: { onClose(): void }) {
  const { slug, name, role: ownRole } = useWorkspace()
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const [role, setRole] = useState<Role>('member')
  const inviting = useSave((email: string) => invite(slug, { role, ...(email === '' ? {} : { email }) }), {
    reload: [invitationsQuery(slug).queryKey],
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
  return (
    <FormDialog
      title={`Invite to ${name}`}
      description="Creates a link with which one person can join this workspace."
      saving={inviting}
      onSubmit={(typed) => inviting.mutate(typed('email').trim())}
      action="Create invitation"
      onClose={onClose}
    >
      <FormField
        label="Email (optional)"
        name="email"
        hint={
          start?.mail
            ? 'The link is mailed to it, and only this address can use it. Leave it empty for a link that anyone can use.'
            : 'Only this address can use the link. Leave it empty for a link that anyone can use.'
        }
      >
        <Input type="email" placeholder="name@example.com" />
      </FormField>
      <FormField label="Role" name="role">
        <Select
          value={role}
          onValueChange={(picked) => isRole(picked) && setRole(picked)}
          choices={rolesGivenBy(ownRole).map((one) => ({ value: one, label: roleNames[one] }))}
        />
      </FormField>
    </FormDialog>
  )
}

function warningAbout(email: string | null): string {
  return `An account with the address ${email} exists, but it is unverified: another person may have created it. Ask the person whether the account is theirs before you hand over the link.`
}

type Props = { member: Member; self: boolean }

function MemberRow({ member, self }: Props) {
  const { slug, role: ownRole } = useWorkspace()
  // Owners are changed by owners alone.
  const needed: Permission = member.role === 'owner' ? 'manage_owners' : 'manage_members'
  const may = roleMay(ownRole, needed)
  const changing = useAction((role: Member['role']) => changeRole(slug, member.id, role), {
    reload: [membersQuery(slug).queryKey, workspaceQuery(slug).queryKey],
  })
  const linking = useAction(() => makeResetLink(slug, member.id))
  const [demoting, setDemoting] = useState(false)
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
            onValueChange={(role) => {
              if (!isRole(role)) return
              if (role === 'viewer' && member.role !== role) setDemoting(true)
              else changing.mutate(role)
            }}
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
          text="Send it in a way you trust: the person who opens it chooses the new password. It works once, for 24 hours. A new password revokes their tokens and connected apps, withdraws their invitations and disables their webhooks."
          url={linking.data.url}
          onClose={() => linking.reset()}
        />
      )}
      <Confirm
        open={demoting}
        onOpenChange={setDemoting}
        title={`Make ${member.name} a viewer?`}
        action="Change the role"
        onConfirm={() => changing.mutate('viewer')}
      >
        {self ? 'You' : 'They'} can read everything and no longer change anything, also with tokens and connected apps.
        <EndingWebhooks endsWith={{ member: member.id }} />
      </Confirm>
      <EndSessions member={member} open={ending} onOpenChange={setEnding} />
      <Removal member={member} self={self} open={removing} onOpenChange={setRemoving} />
    </li>
  )
}

function Removal({ member, self, open, onOpenChange }: Props & { open: boolean; onOpenChange(open: boolean): void }) {
  const { slug, name } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const removing = useAction(() => removeMember(slug, member.id), {
    message: self ? `You have left ${name}` : `Removed ${member.name}`,
    next: async () => {
      if (!self) return queries.invalidateQueries({ queryKey: membersQuery(slug).queryKey })
      queries.removeQueries({ queryKey: ['session'] })
      await navigate({ to: '/' })
    },
  })
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={self ? `Leave ${name}?` : `Remove ${member.name}?`}
      action={self ? 'Leave' : 'Remove'}
      onConfirm={() => removing.mutate()}
    >
      {self ? 'You lose' : 'They lose'} access at once, and tokens and connected apps of this workspace are revoked for
      good. Records stay as they are. {self ? 'To come back you need an invitation.' : 'They can be invited again.'}
      <EndingWebhooks endsWith={{ member: member.id }} />
    </Confirm>
  )
}

/** Makes a member sign in again to open this workspace. */
function EndSessions(props: { member: Member; open: boolean; onOpenChange(open: boolean): void }) {
  const { member, open, onOpenChange } = props
  const { slug, name } = useWorkspace()
  const ending = useAction(() => endSessionsOf(slug, member.id), {
    message: `Ended the sessions of ${member.name} in ${name}`,
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

const roleNames: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
}

/** The roles that a member with this role may give to others. */
function rolesGivenBy(role: Role): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((one) => one !== 'owner')
}

function isRole(name: string): name is Role {
  return roles.some((role) => role === name)
}

/** A link that is shown once, to pass on. */
function LinkDialog(props: {
  title: string
  text: string
  url: string
  warning?: string | undefined
  onClose(): void
}) {
  const { title, text, url, warning, onClose } = props
  return (
    <NoticeDialog onClose={onClose} title={title} description={text}>
      {warning !== undefined && (
        <p role="alert" data-tint="amber" className="mb-3 rounded-md px-3 py-2 text-sm wrap-anywhere">
          {warning}
        </p>
      )}
      <CodeBlock text={url} label="The link" />
    </NoticeDialog>
  )
}
