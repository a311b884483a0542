import { isNamespace, NAMESPACE_RULE } from '@kith/contract/external-ids'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Input } from '../../components/input.tsx'

type Props = { column: string; onNamespace(namespace: string): void; onClose(): void }

/** Asks which program the ids of a column belong to. */
export function NamespaceDialog({ column, onNamespace, onClose }: Props) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const namespace = name.trim().toLowerCase()
    if (isNamespace(namespace)) onNamespace(namespace)
    else setProblem(NAMESPACE_RULE)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="ID in another program"
      description={`The values of ${column} are kept as external ids, so that records can be found by them.`}
    >
      <form onSubmit={submit}>
        <FormField
          label="Name of the program"
          hint="Such as hubspot. It is the namespace in the API."
          errors={problem === undefined ? undefined : [problem]}
        >
          <Input value={name} onChange={({ target }) => setName(target.value)} spellCheck={false} required />
        </FormField>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Use these IDs
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
