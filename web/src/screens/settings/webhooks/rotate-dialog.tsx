import { KEEP_HOURS_DEFAULT } from '@kith/contract/limits'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { problemsOf } from '../../../api/problems.ts'
import { rotateSecret } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Select } from '../../../components/select.tsx'

const times = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
]

type Props = { id: string; onSecret(secret: string): void; onClose(): void }

/** Replaces the secret, and keeps the old one valid while the receiver is changed. */
export function RotateDialog({ id, onSecret, onClose }: Props) {
  const slug = useSlug()
  const [hours, setHours] = useState(String(KEEP_HOURS_DEFAULT))
  const rotating = useMutation({
    mutationFn: () => rotateSecret(slug, id, Number(hours)),
    onSuccess: ({ attributes }) => {
      onClose()
      onSecret(attributes.secret)
    },
  })
  const problems = problemsOf(rotating.error, ['keep_hours'])
  return (
    <Dialog open onOpenChange={onClose} title="Rotate the secret" description="The new secret is shown once.">
      <div className="grid gap-4">
        <FormField
          label="The old secret also signs for"
          hint="During this time each request has two signatures, so the receiver can change over without a gap. Choose “Not at all” if the secret has leaked."
          errors={problems.at('keep_hours')}
        >
          <Select value={hours} onValueChange={setHours} choices={times} />
        </FormField>
        <FormProblem text={problems.general} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate
        </Button>
      </DialogActions>
    </Dialog>
  )
}
