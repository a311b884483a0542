import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { deleteWorkspace } from '../../../api/managed-workspace.ts'
import { problemsOf } from '../../../api/problems.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Section } from '../page.tsx'

/** For owners. Nothing brings a workspace back, so that its slug must be typed. */
export function DeleteWorkspace() {
  const [open, setOpen] = useState(false)
  return (
    <Section
      title="Delete the workspace"
      text="Permanently deletes its records, fields, tokens and memberships."
      extra={
        <Button look="danger" onClick={() => setOpen(true)}>
          Delete the workspace
        </Button>
      }
    >
      {open && <DeleteDialog onClose={() => setOpen(false)} />}
    </Section>
  )
}

function DeleteDialog({ onClose }: { onClose(): void }) {
  const { slug, name } = useWorkspace()
  const [typed, setTyped] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const deleting = useMutation({
    mutationFn: () => deleteWorkspace(slug),
    onSuccess: async () => {
      showToast({ message: `Deleted the workspace ${name}` })
      queries.removeQueries({ queryKey: ['session'] })
      await navigate({ to: '/' })
      queries.removeQueries({ queryKey: [slug] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    deleting.mutate()
  }
  return (
    <Dialog open forgets onOpenChange={onClose} title={`Delete ${name}?`} description="This cannot be undone.">
      <form onSubmit={submit} className="grid gap-4">
        <FormField label={`Type ${slug} to confirm`}>
          <Input value={typed} onChange={({ target }) => setTyped(target.value)} spellCheck={false} />
        </FormField>
        <FormProblem text={problemsOf(deleting.error, []).general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={typed.trim() !== slug || deleting.isPending}>
            Delete the workspace
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
