import { fold } from '@kith/contract/fold'
import { PER_PAGE_MAX } from '@kith/contract/limits'
import { listMembers } from '../../accounts/members.ts'
import { reads } from '../annotations.ts'
import { object, text } from '../schema.ts'
import type { Tool } from '../tool.ts'

export const listMembersTool: Tool = {
  name: 'list_members',
  title: 'List members',
  description:
    'The members of the workspace with ID, name, email address and role. Use the ID for account_owner_id, assignee_ids ' +
    'and filters such as {"accountOwner": {"$in": [ID]}}.',
  annotations: reads,
  abilities: ['read'],
  input: object({ query: text('Only members whose name or email address contains this.') }, ['query']),
  async run(scope, { query }) {
    const wanted = fold(typeof query === 'string' ? query.trim() : '')
    const found = (await listMembers(scope)).filter(({ name, email }) => fold(`${name}\n${email}`).includes(wanted))
    const data = found
      .slice(0, PER_PAGE_MAX)
      .map(({ user_id, name, email, role }) => ({ id: user_id, name, email, role }))
    return { data, total: found.length }
  },
}
