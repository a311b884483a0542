import { type Editor, useEditorState } from '@tiptap/react'
import {
  Bold,
  Code,
  Heading2,
  Italic,
  List,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  Quote,
  Strikethrough,
} from 'lucide-react'
import { IconButton } from '../components/icon-button.tsx'

type Mark = {
  label: string
  icon: LucideIcon
  isOn(editor: Editor): boolean
  toggle(editor: Editor): void
}

const marks: readonly Mark[] = [
  {
    label: 'Heading',
    icon: Heading2,
    isOn: (it) => it.isActive('heading', { level: 2 }),
    toggle: (it) => it.chain().focus().toggleHeading({ level: 2 }).run(),
  },
  {
    label: 'Bold',
    icon: Bold,
    isOn: (it) => it.isActive('bold'),
    toggle: (it) => it.chain().focus().toggleBold().run(),
  },
  {
    label: 'Italic',
    icon: Italic,
    isOn: (it) => it.isActive('italic'),
    toggle: (it) => it.chain().focus().toggleItalic().run(),
  },
  {
    label: 'Strikethrough',
    icon: Strikethrough,
    isOn: (it) => it.isActive('strike'),
    toggle: (it) => it.chain().focus().toggleStrike().run(),
  },
  {
    label: 'Code',
    icon: Code,
    isOn: (it) => it.isActive('code'),
    toggle: (it) => it.chain().focus().toggleCode().run(),
  },
  {
    label: 'List',
    icon: List,
    isOn: (it) => it.isActive('bulletList'),
    toggle: (it) => it.chain().focus().toggleBulletList().run(),
  },
  {
    label: 'Numbered list',
    icon: ListOrdered,
    isOn: (it) => it.isActive('orderedList'),
    toggle: (it) => it.chain().focus().toggleOrderedList().run(),
  },
  {
    label: 'Checklist',
    icon: ListChecks,
    isOn: (it) => it.isActive('taskList'),
    toggle: (it) => it.chain().focus().toggleTaskList().run(),
  },
  {
    label: 'Quote',
    icon: Quote,
    isOn: (it) => it.isActive('blockquote'),
    toggle: (it) => it.chain().focus().toggleBlockquote().run(),
  },
]

/** The marks that can be set; pressed if the cursor is inside one. */
export function EditorButtons({ editor }: { editor: Editor }) {
  const on = useEditorState({ editor, selector: () => marks.map((mark) => mark.isOn(editor)) })
  return (
    <div role="toolbar" aria-label="Format" className="flex flex-wrap gap-0.5 border-b border-line p-1">
      {marks.map(({ label, icon: Icon, toggle }, index) => (
        <IconButton
          key={label}
          label={label}
          aria-pressed={on[index] ?? false}
          active={on[index] ?? false}
          onClick={() => toggle(editor)}
        >
          <Icon />
        </IconButton>
      ))}
    </div>
  )
}
