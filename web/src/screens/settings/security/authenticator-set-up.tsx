import type { TotpSetUp } from '@kith/contract/app/factors'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, Suspense, useState } from 'react'
import { confirmTotp, setUpTotp } from '../../../api/factors.ts'
import { problemsOf } from '../../../api/problems.ts'
import { Button } from '../../../components/button.tsx'
import { chunk } from '../../../components/chunk.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

const QrCode = chunk(async () => (await import('./qr-code.tsx')).QrCode)

type Props = { onClose(): void; onDone(): Promise<void> }

/** The password, the code to scan, a code to confirm, and the recovery codes, one after the other. */
export function AuthenticatorSetUp({ onClose, onDone }: Props) {
  const starting = useMutation({ mutationFn: setUpTotp })
  const [confirmed, setConfirmed] = useState(false)
  if (!starting.data) {
    return (
      <PasswordDialog
        title="Set up an authenticator app"
        text="Install an app such as Aegis, 1Password or Google Authenticator on your phone first."
        action="Continue"
        sending={starting}
        onClose={onClose}
      />
    )
  }
  // The codes are on once one was confirmed, however the dialog is closed then.
  const finish = async () => {
    onClose()
    await onDone()
  }
  if (confirmed) {
    return (
      <Dialog open onOpenChange={finish} title="Save your recovery codes">
        <RecoveryCodes codes={starting.data.recovery_codes} onDone={finish} />
      </Dialog>
    )
  }
  return <Scan made={starting.data} onClose={onClose} onConfirmed={() => setConfirmed(true)} />
}

type ScanProps = { made: TotpSetUp; onClose(): void; onConfirmed(): void }

function Scan({ made, onClose, onConfirmed }: ScanProps) {
  const confirming = useMutation({ mutationFn: confirmTotp, onSuccess: onConfirmed })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    confirming.mutate(String(new FormData(event.currentTarget).get('code')))
  }
  const problems = problemsOf(confirming.error, ['code'])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Scan this code"
      description="Scan it with your authenticator app, or type the secret into it. Then enter the code it shows."
    >
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid justify-items-center">
          <Suspense fallback={<Skeleton className="size-44" />}>
            <QrCode text={made.uri} label="The secret as a QR code" />
          </Suspense>
        </div>
        <CodeBlock text={made.secret} label="The secret" />
        <FormField label="Code" errors={problems.at('code')}>
          <Input
            name="code"
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            placeholder="123456"
            className="font-mono"
          />
        </FormField>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={confirming.isPending}>
            Confirm
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
