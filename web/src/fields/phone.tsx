import { Phone } from 'lucide-react'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextLinks } from './text-links.tsx'
import { TextListEditor } from './text-list-editor.tsx'
import { TextListOperand } from './text-list-operand.tsx'
import { textsIn } from './values.ts'

export const phone: FieldView = {
  name: 'Phone',
  group: 'Addresses',
  about: 'Phone numbers with country code',
  icon: Phone,
  width: 160,
  leadsAway: true,
  Show,
  Edit,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  return <TextLinks texts={textsIn(value)} hrefOf={(number) => `tel:${number}`} />
}

function Edit(props: EditProps) {
  return <TextListEditor {...props} many={props.field.multiple} placeholder="+1 415 555 0100" inputMode="tel" />
}
