import type { Passkey } from '@kith/contract/app/factors'
import { PASSKEY_NAME_MAX } from '@kith/contract/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { factorsQuery, renamePasskey } from '../../../api/factors.ts'
import { problemsOf } from '../../../api/problems.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const queries = useQueryClient()
  const renaming = useMutation({
    mutationFn: renamePasskey,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    renaming.mutate({ id: passkey.id, name: String(new FormData(event.currentTarget).get('name')) })
  }
  const problems = problemsOf(renaming.error, ['name'])
  return (
    <Dialog open onOpenChange={onClose} title="Rename the passkey">
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Name" errors={problems.at('name')}>
          <Input name="name" required maxLength={PASSKEY_NAME_MAX} defaultValue={passkey.name ?? ''} />
        </FormField>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={renaming.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
