import type { View } from '@kith/contract/app/views'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { problemsOf } from '../../api/problems.ts'
import { createView, updateView } from '../../api/views.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { Switch } from '../../components/switch.tsx'
import { useListState, viewStateOf } from './list-state.ts'

type Props = {
  resource: ResourceName
  /** The view that is renamed; a new one without. */
  view: View | undefined
  onClose(): void
  onSaved(view: View): void
}

/** Names a view, and says who sees it. */
export function ViewDialog({ resource, view, onClose, onSaved }: Props) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const [state] = useListState()
  const [shared, setShared] = useState(view?.shared ?? false)
  const saving = useMutation({
    mutationFn: (name: string) =>
      view
        ? updateView(slug, view.id, { name, shared })
        : createView(slug, { resource, name, shared, state: viewStateOf(state) }),
    onSuccess: onSaved,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    saving.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  const problems = problemsOf(saving.error, ['name'])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={view ? 'Rename or share the view' : 'Save as a new view'}
      description="A view keeps the filter, the order, the groups and the columns of this list."
    >
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Name" errors={problems.at('name')}>
          <Input name="name" defaultValue={view?.name} required maxLength={100} />
        </FormField>
        <label className="flex items-center justify-between gap-4 text-sm" htmlFor="view-shared">
          <span>
            Share with the workspace
            <span className="block text-xs text-faint">Everybody sees it; you and admins can change it.</span>
          </span>
          <Switch
            id="view-shared"
            checked={shared}
            disabled={!roleMay(role, 'share_views')}
            onCheckedChange={setShared}
          />
        </label>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={saving.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
