import { whoAmI } from '../../accounts/who-am-i.ts'
import { reads } from '../annotations.ts'
import { object } from '../schema.ts'
import type { Tool } from '../tool.ts'

export const whoamiTool: Tool = {
  name: 'whoami',
  title: 'Who am I',
  description:
    'The user of this access, the one workspace it reaches, the role and the abilities. Use the user ID for ' +
    'account_owner_id, assignee_ids and filters such as {"creator": {"$in": [ID]}}.',
  annotations: reads,
  abilities: [],
  input: object({}),
  run: whoAmI,
}
