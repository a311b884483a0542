import { Mail } from 'lucide-react'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextLinks } from './text-links.tsx'
import { TextListEditor } from './text-list-editor.tsx'
import { TextListOperand } from './text-list-operand.tsx'
import { textsIn } from './values.ts'

export const email: FieldView = {
  name: 'Email',
  group: 'Addresses',
  about: 'One or several email addresses',
  icon: Mail,
  width: 220,
  leadsAway: true,
  Show,
  Edit,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  return <TextLinks texts={textsIn(value)} hrefOf={(address) => `mailto:${address}`} />
}

function Edit(props: EditProps) {
  return <TextListEditor {...props} many={props.field.multiple} placeholder="name@example.com" inputMode="email" />
}
