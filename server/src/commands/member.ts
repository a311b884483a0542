import { roles } from '@kith/contract/abilities'
import { addMember, changeRole, listMembers, type Member, removeMember } from '../accounts/members.ts'
import { defineCommand, emailOption as email, type Group, workspaceOption as workspace } from './command.ts'
import { printTable } from './table.ts'
import { withWorkspace } from './with-database.ts'

const role = { value: 'R', about: `One of ${roles.join(', ')}.` } as const

const add = defineCommand({
  about: 'Add a user to a workspace; the default role is member.',
  options: { workspace, email, role, unverified: { about: 'Accept an account whose address is not verified.' } },
  async run(values, context) {
    const added = await withWorkspace(context, values.workspace, (scope) =>
      addMember(scope, { ...values, role: values.role ?? 'member' }),
    )
    return { text: `Added ${shown(added)} to ${values.workspace} with the role ${added.role}.`, json: added }
  },
})

const remove = defineCommand({
  about: 'Remove a member from a workspace. Their tokens and connections there are revoked.',
  options: { workspace, email },
  async run(values, context) {
    const removed = await withWorkspace(context, values.workspace, (scope) => removeMember(scope, values))
    return { text: `Removed ${removed.email} from ${values.workspace}.`, json: removed }
  },
})

const changeRoleCommand = defineCommand({
  about: 'Change the role of a member.',
  options: { workspace, email, role: { ...role, required: true } },
  async run(values, context) {
    const changed = await withWorkspace(context, values.workspace, (scope) => changeRole(scope, values))
    return { text: `${shown(changed)} has the role ${changed.role} in ${values.workspace} now.`, json: changed }
  },
})

const list = defineCommand({
  about: 'List the members of a workspace.',
  options: { workspace },
  async run(values, context) {
    const members = await withWorkspace(context, values.workspace, listMembers)
    const rows = members.map((one) => [
      one.email,
      one.verified ? 'verified' : 'unverified',
      one.name,
      one.role,
      one.user_id,
      one.created_at,
    ])
    return { text: printTable(['email', 'address', 'name', 'role', 'id', 'since'], rows), json: members }
  },
})

export const member: Group = { verbs: { add, remove, role: changeRoleCommand, list } }

function shown({ email, verified }: Member): string {
  return verified ? email : `${email} (unverified)`
}
