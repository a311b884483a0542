import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'

type Props = { title: string; text: string; url: string; warning?: string | undefined; onClose(): void }

/** A link that is shown once, to pass on. */
export function LinkDialog({ title, text, url, warning, onClose }: Props) {
  return (
    <Dialog open onOpenChange={onClose} title={title} description={text}>
      {warning !== undefined && (
        <p role="alert" data-tint="amber" className="mb-3 rounded-md px-3 py-2 text-sm wrap-anywhere">
          {warning}
        </p>
      )}
      <CodeBlock text={url} label="The link" />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
