import { PASSKEY_NAME_MAX } from '@kith/contract/limits'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { addPasskey } from '../../../api/passkeys.ts'
import { problemsOf } from '../../../api/problems.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { deviceOf } from './user-agent.ts'

type Props = { onClose(): void; onAdded(): Promise<void> }

/** Asks for a name; the browser then asks for the device. */
export function AddPasskey({ onClose, onAdded }: Props) {
  const adding = useMutation({
    mutationFn: addPasskey,
    onSuccess: async () => {
      onClose()
      showToast({ message: 'The passkey is added. You can sign in with it.' })
      await onAdded()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    adding.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  const problems = problemsOf(adding.error, ['name'])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a passkey"
      description="Your browser asks you to confirm with a fingerprint, a face or a PIN."
    >
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Name" hint="Shown in the list of passkeys." errors={problems.at('name')}>
          <Input name="name" required maxLength={PASSKEY_NAME_MAX} defaultValue={deviceOf(navigator.userAgent)} />
        </FormField>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={adding.isPending}>
            {adding.isPending ? 'Waiting for your device…' : 'Continue'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
