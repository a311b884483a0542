import { roleMay } from '@kith/contract/permissions'
import { useState } from 'react'
import { useWorkspace } from '../api/workspace.ts'
import { Input } from '../components/controls.tsx'
import { Switch } from '../components/switch.tsx'
import { FormDialog, FormField } from './form.tsx'

/** The name of a view or a report, and whether everybody sees it. */
export type Sharing = { name: string; shared: boolean }

/** Names a view or a report, and says who sees it. */
export function ShareDialog(props: {
  title: string
  description?: string
  /** What sharing means. */
  hint: string
  nameMax: number
  /** What is renamed; something new without. */
  sharing: Sharing | undefined
  saving: { error: Error | null; isPending: boolean; mutate(sharing: Sharing): void }
  onClose(): void
}) {
  const { title, description, hint, nameMax, sharing, saving, onClose } = props
  const { role } = useWorkspace()
  const [shared, setShared] = useState(sharing?.shared ?? false)
  return (
    <FormDialog
      title={title}
      description={description}
      saving={saving}
      onSubmit={(typed) => saving.mutate({ name: typed('name'), shared })}
      action="Save"
      onClose={onClose}
    >
      <FormField label="Name" name="name">
        <Input defaultValue={sharing?.name} required maxLength={nameMax} />
      </FormField>
      <label className="flex items-center justify-between gap-4 text-sm" htmlFor="shared">
        <span>
          Share with the workspace
          <span className="block text-xs text-faint">{hint}</span>
        </span>
        <Switch id="shared" checked={shared} disabled={!roleMay(role, 'share_views')} onCheckedChange={setShared} />
      </label>
    </FormDialog>
  )
}
