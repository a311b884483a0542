import { Link } from 'lucide-react'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { TextLinks } from './text-links.tsx'
import { TextListEditor } from './text-list-editor.tsx'
import { TextListOperand } from './text-list-operand.tsx'
import { textsIn } from './values.ts'

export const link: FieldView = {
  name: 'Link',
  group: 'Addresses',
  about: 'Web addresses',
  icon: Link,
  width: 200,
  leadsAway: true,
  Show,
  Edit,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  return (
    <TextLinks
      texts={textsIn(value)}
      hrefOf={(address) => address}
      shownAs={(address) => address.replace(/^https?:\/\//, '')}
    />
  )
}

function Edit(props: EditProps) {
  return <TextListEditor {...props} many={props.field.multiple} placeholder="https://example.com" inputMode="url" />
}
