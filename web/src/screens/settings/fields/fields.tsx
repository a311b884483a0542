import type { ManagedField } from '@kith/contract/app/fields'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { archiveField, deleteField, managedFieldsQuery, orderFields, restoreField } from '../../../api/fields.ts'
import { schemaKey, useSchema } from '../../../api/schema.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Pill } from '../../../components/pill.tsx'
import { SortableList } from '../../../components/sortable-list.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Tooltip } from '../../../components/tooltip.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { tellFailure, useAction } from '../../../forms/save.ts'
import { appearanceIn, useAppearance } from '../../../resources.ts'
import { ResourceTabs, useChosenResource } from '../../resource-tabs.tsx'
import { CopiedCode } from '../copied-code.tsx'
import { Page, RowSkeletons, Section } from '../page.tsx'
import { FieldSheet } from './field-sheet.tsx'

export function Fields() {
  const resource = useChosenResource() ?? 'companies'
  const { role } = useWorkspace()
  const [making, setMaking] = useState(false)
  const may = roleMay(role, 'manage_fields')
  return (
    <Page
      title="Custom fields"
      text="The data that records have besides their name. The API uses the code of a field, which never changes."
      action={
        may && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus aria-hidden />
            New field
          </Button>
        )
      }
    >
      <ResourceTabs chosen={resource} />
      <Managed key={resource} resource={resource} />
      {making && <FieldSheet resource={resource} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Managed({ resource }: { resource: ResourceName }) {
  const { data: fields, error, refetch } = useQuery(managedFieldsQuery(useSlug(), resource))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!fields) return <RowSkeletons />
  return <FieldList resource={resource} fields={fields} />
}

/** The fields of a resource in their order, and those that were put away. */
function FieldList({ resource, fields }: { resource: ResourceName; fields: readonly ManagedField[] }) {
  const { slug, role } = useWorkspace()
  const queries = useQueryClient()
  const [editing, setEditing] = useState<ManagedField>()
  const active = fields.filter(({ archived_at }) => archived_at === null).sort((a, b) => a.position - b.position)
  const archived = fields.filter(({ archived_at }) => archived_at !== null)
  const { queryKey } = managedFieldsQuery(slug, resource)
  const ordering = useMutation({
    mutationFn: (ordered: readonly ManagedField[]) => {
      const codes = ordered.map(({ code }) => code)
      return orderFields(slug, resource, codes)
    },
    onMutate: async (ordered) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      const moved = ordered.map((field, index) => ({ ...field, position: index + 1 }))
      queries.setQueryData(queryKey, [...moved, ...archived])
      return { before }
    },
    onError: (error, _ordered, kept) => {
      queries.setQueryData(queryKey, kept?.before)
      tellFailure(error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: schemaKey(slug) }),
  })
  const may = roleMay(role, 'manage_fields')
  const { icon, name, many } = useAppearance(resource)
  return (
    <>
      {active.length === 0 && (
        <EmptyState
          icon={icon}
          title={`${name} have no fields yet`}
          text="Create the first one: a text, a date, a choice."
        />
      )}
      <SortableList
        label={`Fields of ${many}`}
        items={active}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        onOrder={(ordered) => ordering.mutate(ordered)}
        disabled={!may}
        className="gap-1 border-b border-line bg-paper"
      >
        {(field) => <FieldLine field={field} may={may} onEdit={() => setEditing(field)} />}
      </SortableList>
      {archived.length > 0 && (
        <Section
          title="Archived"
          text="Archived fields are hidden, but their values are kept. Restore a field, or delete it permanently."
        >
          <ul aria-label="Archived fields" className="border-t border-line">
            {archived.map((field) => (
              <li key={field.id} className="flex items-center gap-1 border-b border-line">
                <FieldLine field={field} may={may} onEdit={undefined} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {editing && <FieldSheet resource={resource} field={editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}

/** A field on a line: its name leads to its form, its code is copied at a click. */
function FieldLine({ field, may, onEdit }: { field: ManagedField; may: boolean; onEdit: (() => void) | undefined }) {
  const { icon: Icon, name: typeName } = fieldViews[field.type]
  const { target } = field.settings
  const schema = useSchema()
  return (
    <>
      <Icon aria-hidden className="ml-1 size-4 shrink-0 text-faint" />
      <div className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-0.5 py-1.5 pl-1">
        {may && onEdit ? (
          <button
            type="button"
            onClick={onEdit}
            className="min-h-6 max-w-full truncate rounded-sm text-left text-sm font-medium hover:underline"
          >
            {field.name}
          </button>
        ) : (
          <span className="max-w-full truncate text-sm font-medium">{field.name}</span>
        )}
        <CopiedCode code={field.code} />
        <span className="flex gap-1">
          {field.required && <Pill tint="amber">Required</Pill>}
          {field.unique && <Pill tint="blue">Unique</Pill>}
          {field.system && (
            <Tooltip text="A system field. You can rename and move it, but not archive it.">
              <span>
                <Pill>System</Pill>
              </span>
            </Tooltip>
          )}
        </span>
      </div>
      <span className="hidden w-28 shrink-0 truncate text-sm text-quiet sm:block">
        {target === undefined ? typeName : appearanceIn(schema, target).name}
      </span>
      <span data-numeric className="hidden w-20 shrink-0 text-right text-xs text-faint md:block">
        {field.values === null ? '' : field.values === 1 ? '1 value' : `${formatNumber(field.values)} values`}
      </span>
      {may ? <FieldMenu field={field} onEdit={onEdit} /> : <span className="w-2" />}
    </>
  )
}

type FieldCall = (slug: string, field: ManagedField) => Promise<unknown>

/** What can be done with a field: archiving is taken back by restoring, deleting by nothing. */
function FieldMenu({ field, onEdit }: { field: ManagedField; onEdit: (() => void) | undefined }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: schemaKey(slug) })
  const acting = useAction(({ act }: { act: FieldCall; done: string; undo?: FieldCall }) => act(slug, field), {
    next: (_, { done, undo }) =>
      showToast({
        message: done,
        ...(undo ? { undo: async () => void (await undo(slug, field).then(refresh)) } : {}),
      }),
    reload: [schemaKey(slug)],
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
