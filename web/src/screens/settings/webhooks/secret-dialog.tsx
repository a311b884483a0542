import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'

/** The only time that a secret is shown. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="The signing secret"
      description="Copy it now: it is not shown again. The receiver verifies with it that a request comes from Kith."
    >
      <div className="grid gap-3">
        <CodeBlock text={secret} label="Secret" />
        <p className="text-xs text-faint">
          The receivers to copy, on the page of all webhooks, read it from{' '}
          <code className="font-mono">KITH_WEBHOOK_SECRET</code>. If it gets lost, rotate the secret.
        </p>
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
