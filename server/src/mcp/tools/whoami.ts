import { abilities, roles } from '@kith/contract/abilities'
import { whoAmI } from '../../accounts/who-am-i.ts'
import { reads } from '../annotations.ts'
import { listOf, object } from '../schema.ts'
import type { Tool } from '../tool.ts'

const string = { type: 'string' }

export const whoamiTool: Tool = {
  name: 'whoami',
  title: 'Who am I',
  description:
    'Tells whose access this is: the user, the one workspace that can be reached, their role in it, and ' +
    'what may be done (read, create, update, delete). Use the user ID for account_owner_id, assignee_ids ' +
    'and filters such as {"creator": {"$in": [ID]}}.',
  annotations: reads,
  abilities: [],
  input: object({}),
  output: object({
    user: object({ id: string, name: string, email: string }),
    workspace: object({ id: string, slug: string, name: string }),
    role: { type: 'string', enum: [...roles] },
    abilities: listOf({ type: 'string', enum: [...abilities] }, 'What both the token and the role allow.'),
  }),
  run: whoAmI,
}
