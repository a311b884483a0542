import { Link2, UserRound } from 'lucide-react'
import type { FieldView } from './field-view.ts'

/** Their values are shown, edited and filtered as those of relations, which know the names of records. */
const asRelation = { group: 'References', width: 180, Show: () => null, Edit: () => null, Operand: () => null } as const

export const record: FieldView = {
  ...asRelation,
  name: 'Record',
  about: 'One or several records',
  icon: Link2,
}

export const member: FieldView = {
  ...asRelation,
  name: 'Member',
  about: 'One or several members of the workspace',
  icon: UserRound,
}
