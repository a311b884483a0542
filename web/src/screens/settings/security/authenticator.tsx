import type { FactorsAnswer } from '@kith/contract/app/factors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { openSessionsQuery } from '../../../api/account.ts'
import { factorsQuery, newRecoveryCodes, switchOffTotp } from '../../../api/factors.ts'
import { sessionQuery } from '../../../api/session.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Section } from '../page.tsx'
import { AuthenticatorSetUp } from './authenticator-set-up.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Codes of an authenticator app, entered after the password. */
export function Authenticator({ factors: { totp } }: { factors: FactorsAnswer }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<'set-up' | 'off' | 'codes'>()
  const close = () => setOpen(undefined)
  const refresh = async () => {
    // The session has got another cookie.
    await Promise.all(
      [factorsQuery, openSessionsQuery, sessionQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
    )
  }
  const switchingOff = useMutation({
    mutationFn: switchOffTotp,
    onSuccess: async () => {
      close()
      showToast({ message: 'Codes are off. You sign in with your password alone, or with a passkey.' })
      await refresh()
    },
  })
  const renewing = useMutation({ mutationFn: newRecoveryCodes, onSuccess: close })
  return (
    <Section
      title="Authenticator app"
      text="After your password, you enter a code that an app on your phone shows."
      extra={
        totp ? (
          <Pill tint="green">On</Pill>
        ) : (
          <Button onClick={() => setOpen('set-up')}>
            <Smartphone aria-hidden />
            Set up
          </Button>
        )
      }
    >
      {totp && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
          <Button look="quiet-danger" onClick={() => setOpen('off')}>
            Switch off
          </Button>
        </div>
      )}
      {open === 'set-up' && <AuthenticatorSetUp onClose={close} onDone={refresh} />}
      {open === 'off' && (
        <PasswordDialog
          title="Switch codes off?"
          text="Your account is then protected by the password alone, unless you sign in with a passkey."
          action="Switch off"
          danger
          sending={switchingOff}
          onClose={close}
        />
      )}
      {open === 'codes' && (
        <PasswordDialog
          title="Create new recovery codes"
          text="The codes you have now stop working."
          action="Continue"
          sending={renewing}
          onClose={close}
        />
      )}
      {renewing.data && (
        <Dialog open onOpenChange={() => renewing.reset()} title="Your new recovery codes">
          <RecoveryCodes codes={renewing.data.recovery_codes} onDone={() => renewing.reset()} />
        </Dialog>
      )}
    </Section>
  )
}
