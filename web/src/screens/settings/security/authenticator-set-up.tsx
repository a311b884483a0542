import type { TotpSetUp } from '@kith/contract/app/factors'
import type { UseMutationResult } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Suspense, useState } from 'react'
import { confirmTotp, setUpTotp } from '../../../api/factors.ts'
import { Button } from '../../../components/button.tsx'
import { chunk } from '../../../components/chunk.tsx'
import { Input, PasswordInput } from '../../../components/controls.tsx'
import { CodeBlock, CopyButton } from '../../../components/copy.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { FormDialog, FormField } from '../../../forms/form.tsx'
import { useSave } from '../../../forms/save.ts'

const QrCode = chunk(async () => (await import('./qr-code.tsx')).QrCode)

/** The password, the code to scan, a code to confirm, and the recovery codes, one after the other. */
export function AuthenticatorSetUp({ onClose, onDone }: { onClose(): void; onDone(): Promise<void> }) {
  const starting = useSave(setUpTotp)
  const [confirmed, setConfirmed] = useState(false)
  if (!starting.data) {
    return (
      <PasswordDialog
        title="Set up an authenticator app"
        text="Install an app such as Aegis, 1Password or Google Authenticator on your phone first."
        action="Continue"
        saving={starting}
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

function Scan({ made, onClose, onConfirmed }: { made: TotpSetUp; onClose(): void; onConfirmed(): void }) {
  const confirming = useSave(confirmTotp, { next: onConfirmed })
  return (
    <FormDialog
      title="Scan this code"
      description="Scan it with your authenticator app, or type the secret into it. Then enter the code it shows."
      saving={confirming}
      onSubmit={(typed) => confirming.mutate(typed('code'))}
      action="Confirm"
      onClose={onClose}
    >
      <div className="grid justify-items-center">
        <Suspense fallback={<Skeleton className="size-44" />}>
          <QrCode text={made.uri} label="The secret as a QR code" />
        </Suspense>
      </div>
      <CodeBlock text={made.secret} label="The secret" />
      <FormField label="Code" name="code">
        <Input
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          placeholder="123456"
          className="font-mono"
        />
      </FormField>
    </FormDialog>
  )
}

/** Asks for the password before something that protects the account is changed. */
export function PasswordDialog(props: {
  title: string
  text: string
  action: string
  danger?: boolean
  /** Gets the password. */
  saving: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error' | 'reset'>
  onClose(): void
}) {
  const { title, text, action, danger = false, saving, onClose } = props
  const close = () => {
    saving.reset()
    onClose()
  }
  return (
    <FormDialog
      title={title}
      description={text}
      saving={saving}
      onSubmit={(typed) => saving.mutate(typed('password'))}
      action={action}
      look={danger ? 'danger' : 'primary'}
      onClose={close}
    >
      <FormField label="Your password" name="password">
        <PasswordInput autoComplete="current-password" required />
      </FormField>
    </FormDialog>
  )
}

/** Shown once. Each of them signs in one time in place of a code. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const text = codes.join('\n')
  return (
    <>
      <p className="text-sm text-quiet">
        If you lose your phone, each of these codes signs you in once. They are not shown again: keep them where you
        keep passwords.
      </p>
      <ul
        aria-label="Recovery codes"
        className="mt-4 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunk px-4 py-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy all" size="normal" />
        <Button onClick={() => download(text)}>
          <Download aria-hidden />
          Download
        </Button>
      </div>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          I have saved them
        </Button>
      </DialogActions>
    </>
  )
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([`Recovery codes for Kith\n\n${text}\n`], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'kith-recovery-codes.txt'
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
