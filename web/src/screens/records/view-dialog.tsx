import type { View } from '@kith/contract/app/views'
import { VIEW_NAME_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { createView, updateView } from '../../api/views.ts'
import { useSlug } from '../../api/workspace.ts'
import { useSave } from '../../forms/save.ts'
import { ShareDialog, type Sharing } from '../../forms/share-dialog.tsx'
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
  const [state] = useListState()
  const saving = useSave(
    (sharing: Sharing) =>
      view ? updateView(slug, view.id, sharing) : createView(slug, { resource, ...sharing, state: viewStateOf(state) }),
    { next: onSaved },
  )
  return (
    <ShareDialog
      title={view ? 'Rename or share the view' : 'Save as a new view'}
      description="A view keeps the filter, the order, the groups and the columns of this list."
      hint="Everybody sees it; you and admins can change it."
      nameMax={VIEW_NAME_MAX}
      sharing={view}
      saving={saving}
      onClose={onClose}
    />
  )
}
