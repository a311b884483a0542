import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'

type Props = { title: string; text: string; url: string; onClose(): void }

/** A link that is shown once, to be handed on. */
export function LinkDialog({ title, text, url, onClose }: Props) {
  return (
    <Dialog open onOpenChange={onClose} title={title} description={text}>
      <CodeBlock text={url} label="The link" />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
