import type { View } from '@kith/contract/app/views'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useState } from 'react'
import { createView, updateView } from '../../api/views.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Input } from '../../components/controls.tsx'
import { Switch } from '../../components/switch.tsx'
import { FormDialog, FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { useListState, viewStateOf } from './list-state.ts'

/** Names a view, and says who sees it. */
export function ViewDialog(props: {
  resource: ResourceName
  /** The view that is renamed; a new one without. */
  view: View | undefined
  onClose(): void
  onSaved(view: View): void
}) {
  const { resource, view, onClose, onSaved } = props
  const slug = useSlug()
  const { role } = useWorkspace()
  const [state] = useListState()
  const [shared, setShared] = useState(view?.shared ?? false)
  const saving = useSave(
    (name: string) =>
      view
        ? updateView(slug, view.id, { name, shared })
        : createView(slug, { resource, name, shared, state: viewStateOf(state) }),
    { next: onSaved },
  )
  return (
    <FormDialog
      title={view ? 'Rename or share the view' : 'Save as a new view'}
      description="A view keeps the filter, the order, the groups and the columns of this list."
      saving={saving}
      onSubmit={(typed) => saving.mutate(typed('name'))}
      action="Save"
      onClose={onClose}
    >
      <FormField label="Name" name="name">
        <Input defaultValue={view?.name} required maxLength={100} />
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
    </FormDialog>
  )
}
