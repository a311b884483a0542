import { Link2, UserRound } from 'lucide-react'
import type { FieldView } from './field-view.ts'
import { TextListOperand } from './operands.tsx'

/** Their values are shown and edited as those of relations, which know the names of records. */
const asRelation = { group: 'References', width: 180, Show: () => null, Edit: () => null } as const

export const record: FieldView = {
  ...asRelation,
  name: 'Record',
  about: 'One or several records',
  icon: Link2,
  Operand: TextListOperand,
}

export const member: FieldView = {
  ...asRelation,
  name: 'Member',
  about: 'One or several members of the workspace',
  icon: UserRound,
  Operand: TextListOperand,
}
