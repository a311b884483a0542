import type { ManagedField } from '@kith/contract/app/fields'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { archiveField, deleteField, restoreField } from '../../../api/managed-fields.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { showToast } from '../../../components/toast-store.ts'

type Act = (slug: string, field: ManagedField) => Promise<unknown>

/** What can be done with a field: archiving is taken back by restoring, deleting by nothing. */
export function FieldMenu({ field, onEdit }: { field: ManagedField; onEdit: (() => void) | undefined }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: [slug, 'fields'] })
  const acting = useMutation({
    mutationFn: ({ act }: { act: Act; done: string; undo?: Act }) => act(slug, field),
    onSuccess: (_answer, { done, undo }) =>
      showToast({
        message: done,
        ...(undo ? { undo: async () => void (await undo(slug, field).then(refresh)) } : {}),
      }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: refresh,
  })
  const archive = () => acting.mutate({ act: archiveField, done: `Archived ${field.name}`, undo: restoreField })
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <IconButton label={`More about ${field.name}`}>
            <MoreHorizontal />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          {onEdit && (
            <MenuItem icon={<Pencil />} onSelect={onEdit}>
              Edit
            </MenuItem>
          )}
          {field.archived_at === null ? (
            <MenuItem icon={<Archive />} disabled={field.system} onSelect={archive}>
              Archive
            </MenuItem>
          ) : (
            <>
              <MenuItem
                icon={<ArchiveRestore />}
                onSelect={() => acting.mutate({ act: restoreField, done: `Restored ${field.name}` })}
              >
                Restore
              </MenuItem>
              <MenuItem icon={<Trash2 />} danger onSelect={() => setAsking(true)}>
                Delete for good
              </MenuItem>
            </>
          )}
        </MenuContent>
      </Menu>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${field.name}?`}
        action="Delete for good"
        onConfirm={() => acting.mutate({ act: deleteField, done: `Deleted ${field.name}` })}
      >
        The field and its {field.values ? `${field.values} ` : ''}values are gone for good. This cannot be undone.
      </Confirm>
    </>
  )
}
