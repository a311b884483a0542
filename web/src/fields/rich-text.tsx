import { FileText } from 'lucide-react'
import type { FieldView, ShowProps } from './field-view.ts'
import { Edit } from './long-text.tsx'
import { TextOperand } from './operands.tsx'
import { textIn } from './values.ts'

/** Markdown. In a cell it is plain text; pages show it laid out and edit it with the real editor. */
export const richText: FieldView = {
  name: 'Rich text',
  group: 'Text',
  about: 'Formatted text, kept as Markdown',
  icon: FileText,
  width: 240,
  Show,
  Edit,
  Operand: TextOperand,
}

function Show({ value }: ShowProps) {
  const shown = textIn(value)
  if (shown === '') return null
  return (
    <span dir="auto" className="block truncate">
      {plain(shown.slice(0, 400))}
    </span>
  )
}

/** The words without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`~]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
