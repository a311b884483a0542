import { TaskItem } from '@tiptap/extension-list/task-item'
import { TaskList } from '@tiptap/extension-list/task-list'
import { Placeholder } from '@tiptap/extension-placeholder'
import { Markdown } from '@tiptap/markdown'
import { type Editor, EditorContent, useEditor, useEditorState } from '@tiptap/react'
import {
  Bold,
  Code,
  Heading2,
  Italic,
  Link2,
  List,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  Quote,
  Strikethrough,
} from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { contentAddress } from '../api/files.ts'
import { useSlug } from '../api/workspace.ts'
import { Button, IconButton } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { filesIn, pastedFiles } from '../components/transferred-files.ts'
import { hasOwnPicturesOnly } from './file-links.ts'
import { LinkLine } from './link-line.tsx'
import { PictureNode, TextNodes } from './picture-node.ts'

const known = [
  TextNodes.configure({ link: { openOnClick: false, protocols: ['http', 'https', 'mailto'] } }),
  TaskList,
  TaskItem.configure({ nested: true }),
  Placeholder.configure({ placeholder: 'Write something…' }),
  Markdown,
]

/** Tables and HTML, which the editor would take away. */
const beyond = /<[a-z!/]|^\s*\|.*\|\s*$/im

function isBeyond(markdown: string): boolean {
  return beyond.test(markdown) || !hasOwnPicturesOnly(markdown, window.location.origin)
}

/** Edits Markdown. A text with syntax that the editor does not know is edited as plain text. */
export function MarkdownEditor(props: EditorProps) {
  return isBeyond(props.initial) ? <PlainEditor {...props} /> : <LaidOutEditor {...props} />
}

/** Writes Markdown without showing its marks. Ctrl or Cmd with Enter and Escape close it; nothing is lost. */
function LaidOutEditor({ label, initial, revision, onType, onFiles, ...frame }: EditorProps) {
  const slug = useSlug()
  const extensions = useMemo(
    () => [...known, PictureNode.configure({ contentOf: (id) => contentAddress(slug, id) })],
    [slug],
  )
  const begun = useRef(initial)
  const isTouched = useRef(false)
  const [linking, setLinking] = useState(false)
  const editor = useEditor({
    extensions,
    content: initial,
    contentType: 'markdown',
    // The editor's own spelling of an untouched text is no change of it.
    onUpdate({ editor: it }) {
      const isChanged = it.can().undo()
      if (isChanged) isTouched.current = true
      if (isTouched.current) onType(isChanged ? it.getMarkdown().trim() : begun.current)
    },
    editorProps: {
      // Without a selection the key is that of the search. The editor learns of a selection some time after it is made.
      handleKeyDown: (_view, { key, metaKey, ctrlKey }) => {
        const isSelected = document.getSelection()?.isCollapsed === false
        const isLink = key.toLowerCase() === 'k' && (metaKey || ctrlKey) && isSelected
        if (isLink) setLinking(true)
        return isLink
      },
      handlePaste: ({ state }, { clipboardData }) =>
        takeFiles(clipboardData && pastedFiles(clipboardData), state.selection.from),
      handleDrop: (view, event) => {
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })
        return takeFiles(event.dataTransfer && filesIn(event.dataTransfer), at?.pos ?? view.state.doc.content.size)
      },
      attributes: {
        'aria-label': label,
        role: 'textbox',
        'aria-multiline': 'true',
        dir: 'auto',
        class: 'prose-text outline-none min-h-24 text-base',
      },
    },
  })
  /** Adds pasted or dropped files to the record. Each gets its place in the text once it is stored. */
  function takeFiles(files: readonly File[] | null, from: number): boolean {
    if (!onFiles || !files?.length) return false
    let at = from
    const follow = ({ transaction }: { transaction: { mapping: { map(place: number): number } } }) => {
      at = transaction.mapping.map(at)
    }
    editor.on('transaction', follow)
    onFiles(files, (markdown) => {
      if (editor.isDestroyed) return false
      const [paragraph] = editor.markdown?.parse(markdown).content ?? []
      return editor.commands.insertContentAt(at, paragraph?.content ?? [])
    })
    return true
  }
  // Its own autofocus is lost if the page is drawn after it.
  useEffect(() => {
    if (!editor.isDestroyed) editor.commands.focus('end')
  }, [editor])
  useTakenOver(editor, { initial, revision })
  return (
    <EditorFrame {...frame}>
      <EditorButtons editor={editor} onLink={() => setLinking(true)} />
      {linking && <LinkLine editor={editor} onClose={() => setLinking(false)} />}
      <div className="max-h-[60vh] overflow-y-auto px-3 py-2">
        <EditorContent editor={editor} />
      </div>
    </EditorFrame>
  )
}

/** Goes on with the text of another tab. */
function useTakenOver(editor: Editor, { initial, revision }: Pick<EditorProps, 'initial' | 'revision'>): void {
  const known = useRef(revision)
  useLayoutEffect(() => {
    if (known.current === revision) return
    known.current = revision
    const { doc, selection } = editor.state
    const isAtEnd = selection.to >= doc.content.size - 1
    editor.commands.setContent(initial, { contentType: 'markdown', emitUpdate: false })
    editor.commands.setTextSelection(isAtEnd ? editor.state.doc.content.size : selection.from)
  }, [editor, initial, revision])
}

type EditorProps = {
  label: string
  initial: string
  /** Changes when another tab has typed: then the editor goes on with `initial`, in place, so that no key is lost. */
  revision: number
  status: string | undefined
  /** Whether the status is that it could not be saved yet. */
  failed: boolean
  /** Adds files to the record. `insert` puts one into the text once it is stored, unless the editor is closed. */
  onFiles?: ((files: readonly File[], insert: (markdown: string) => boolean) => void) | undefined
  onType(markdown: string): void
  onDone(): void
  onDiscard(): void
}

/** Markdown as it is written, marks and all. */
function PlainEditor({ label, initial, revision, onType, onFiles, ...frame }: EditorProps) {
  const place = useRef<HTMLTextAreaElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if another tab has typed
  useLayoutEffect(() => {
    if (place.current) place.current.value = initial
  }, [revision])
  const type = (written: string) => onType(written === initial ? initial : written.trim())
  const take = (event: SyntheticEvent, files: readonly File[]) => {
    if (!onFiles || files.length === 0) return
    event.preventDefault()
    onFiles(files, (markdown) => {
      const text = place.current
      if (!text) return false
      text.setRangeText(markdown, text.selectionStart, text.selectionEnd, 'end')
      type(text.value)
      return true
    })
  }
  return (
    <EditorFrame {...frame}>
      <p className="border-b border-line px-3 py-1.5 text-xs text-quiet">
        Shown as Markdown: it holds a table, a picture or HTML.
      </p>
      <textarea
        ref={place}
        // biome-ignore lint/a11y/noAutofocus: it opens where one has just pressed to write
        autoFocus
        aria-label={label}
        defaultValue={initial}
        onChange={(event) => type(event.target.value)}
        onPaste={(event) => take(event, pastedFiles(event.clipboardData))}
        onDrop={(event) => take(event, filesIn(event.dataTransfer))}
        dir="auto"
        rows={12}
        className="block w-full resize-y bg-transparent px-3 py-2 font-mono text-sm outline-none"
      />
    </EditorFrame>
  )
}

/** The frame of an editor: border, buttons and keys. Escape closes it and loses nothing. */
function EditorFrame(props: {
  /** Whether what was typed is saved, in words. */
  status: string | undefined
  /** Whether the status is that it could not be saved yet. */
  failed: boolean
  /** Saves and closes. */
  onDone(): void
  /** Goes back to the text as it was when the editor was opened. */
  onDiscard(): void
  children: ReactNode
}) {
  const { status, failed, onDone, onDiscard, children } = props
  const onKeyDown = (event: KeyboardEvent) => {
    const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
    const isOfLine = event.target instanceof Element && event.target.closest('[data-link-line]') !== null
    if (!isDone || isOfLine || event.nativeEvent.isComposing) return
    onDone()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div onKeyDownCapture={onKeyDown} className="rounded-md border border-edge focus-within:border-accent">
      {children}
      <div className="flex items-center justify-end gap-2 border-t border-line p-2">
        <p
          role="status"
          className={classNames('min-w-0 flex-1 px-1 text-xs wrap-anywhere', failed ? 'text-danger' : 'text-quiet')}
        >
          {status}
        </p>
        {status !== undefined && (
          <Button size="small" look="quiet" onClick={onDiscard}>
            Discard changes
          </Button>
        )}
        <Button size="small" look="primary" onClick={onDone}>
          Save
        </Button>
      </div>
    </div>
  )
}

const marks: readonly {
  label: string
  icon: LucideIcon
  isOn(editor: Editor): boolean
  toggle(editor: Editor): void
}[] = [
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
function EditorButtons({ editor, onLink }: { editor: Editor; onLink(): void }) {
  const on = useEditorState({ editor, selector: () => marks.map((mark) => mark.isOn(editor)) })
  const isLink = useEditorState({ editor, selector: () => editor.isActive('link') })
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
      <IconButton label="Link" keys="Mod+K" aria-pressed={isLink} active={isLink} onClick={onLink}>
        <Link2 />
      </IconButton>
    </div>
  )
}
