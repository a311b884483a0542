import { Globe } from 'lucide-react'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextLinks } from './text-links.tsx'
import { TextListEditor } from './text-list-editor.tsx'
import { TextListOperand } from './text-list-operand.tsx'
import { textsIn } from './values.ts'

export const domain: FieldView = {
  name: 'Domain',
  group: 'Addresses',
  about: 'Domains of a company',
  icon: Globe,
  width: 180,
  leadsAway: true,
  Show,
  Edit,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  return <TextLinks texts={textsIn(value)} hrefOf={(host) => `https://${host}`} />
}

function Edit(props: EditProps) {
  return <TextListEditor {...props} many={props.field.multiple} placeholder="example.com" inputMode="url" />
}
