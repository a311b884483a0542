import type { Editor } from '@tiptap/react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Input } from '../components/controls.tsx'
import { linkAddress } from './link-address.ts'

/** The address of a link: of the selected words, of the one at the cursor, or of a new one. Empty, it ends the link. */
export function LinkLine({ editor, onClose }: { editor: Editor; onClose(): void }) {
  const before: unknown = editor.getAttributes('link').href
  const known = typeof before === 'string' ? before : ''
  const [typed, setTyped] = useState(known)
  const [isWrong, setWrong] = useState(false)
  const close = () => {
    onClose()
    // At once: its command waits for a frame, and keys do not.
    editor.view.focus()
  }
  const apply = () => {
    const href = linkAddress(typed)
    const change = editor.chain().extendMarkRange('link')
    if (typed.trim() === '') change.unsetLink().run()
    else if (href === undefined) return setWrong(true)
    else if (editor.state.selection.empty && known === '') {
      change.insertContent({ type: 'text', text: typed.trim(), marks: [{ type: 'link', attrs: { href } }] }).run()
    } else change.setLink({ href }).run()
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    // The editor around it would close.
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Enter') apply()
    else close()
  }
  return (
    <div data-link-line className="border-b border-line p-1.5">
      <div className="flex flex-wrap gap-1.5">
        <Input
          autoFocus
          aria-label="Address of the link"
          aria-invalid={isWrong}
          placeholder="https://"
          inputMode="url"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setWrong(false)
          }}
          onKeyDown={onKeyDown}
          className="h-7! min-w-40 flex-1"
        />
        <Button size="small" look="primary" onClick={apply}>
          {typed.trim() === '' && known !== '' ? 'Remove the link' : 'Set the link'}
        </Button>
        <Button size="small" look="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
      {isWrong && (
        <p role="alert" className="px-1 pt-1 text-xs text-danger">
          This is no address of a page or a mailbox, such as https://example.com or ada@example.com.
        </p>
      )}
    </div>
  )
}
