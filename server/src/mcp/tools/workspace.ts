import { fold } from '@kith/contract/fold'
import { PER_PAGE_MAX } from '@kith/contract/limits'
import { listMembers } from '../../accounts/members.ts'
import { whoAmI } from '../../accounts/who-am-i.ts'
import { object, text } from '../schema.ts'
import { reads, type Tool } from '../tool.ts'

export const whoamiTool: Tool = {
  name: 'whoami',
  title: 'Who am I',
  description:
    'The user of this access, the one workspace it reaches, the role and the abilities. Use the user ID for ' +
    'account_owner_id, assignee_ids and filters such as {"creator": {"$in": [ID]}}.',
  ...reads,
  abilities: [],
  input: object({}),
  run: whoAmI,
}

export const listMembersTool: Tool = {
  name: 'list_members',
  title: 'List members',
  description:
    'The members of the workspace with ID, name, email address and role. Use the ID for account_owner_id, assignee_ids ' +
    'and filters such as {"accountOwner": {"$in": [ID]}}.',
  ...reads,
  input: object({}, { query: text('Only members whose name or email address contains this.') }),
  async run(scope, { query }) {
    const wanted = fold(typeof query === 'string' ? query.trim() : '')
    const found = (await listMembers(scope)).filter(({ name, email }) => fold(`${name}\n${email}`).includes(wanted))
    const data = found
      .slice(0, PER_PAGE_MAX)
      .map(({ user_id, name, email, role }) => ({ id: user_id, name, email, role }))
    return { data, total: found.length }
  },
}
