import { Tag } from 'lucide-react'
import { Pill } from '../components/pill.tsx'
import type { FieldView, ShowProps } from './field-view.ts'
import { TagsEditor } from './tags-editor.tsx'
import { TextListOperand } from './text-list-operand.tsx'
import { textsIn } from './values.ts'

export const tagsInput: FieldView = {
  name: 'Tags',
  group: 'Several choices',
  about: 'Words of one’s own, without a fixed list',
  icon: Tag,
  width: 200,
  Show,
  Edit: TagsEditor,
  Operand: TextListOperand,
}

function Show({ value }: ShowProps) {
  const tags = textsIn(value)
  if (tags.length === 0) return null
  return (
    <span title={tags.join(', ')} className="flex gap-1 overflow-hidden">
      {tags.map((tag) => (
        <Pill key={tag}>{tag}</Pill>
      ))}
    </span>
  )
}
