import type { ManagedField } from '@kith/contract/app/fields'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { managedFieldsQuery, orderFields } from '../../../api/managed-fields.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { SortableList } from '../../../components/sortable-list.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { appearances } from '../../../resources.ts'
import { Section } from '../page.tsx'
import { FieldLine } from './field-line.tsx'
import { FieldSheet } from './field-sheet.tsx'

type Props = { resource: ResourceName; fields: readonly ManagedField[] }

/** The fields of a resource in their order, and those that were put away. */
export function FieldList({ resource, fields }: Props) {
  const { slug, role } = useWorkspace()
  const queries = useQueryClient()
  const [editing, setEditing] = useState<ManagedField>()
  const active = fields.filter(({ archived_at }) => archived_at === null).sort((a, b) => a.position - b.position)
  const archived = fields.filter(({ archived_at }) => archived_at !== null)
  const { queryKey } = managedFieldsQuery(slug, resource)
  const ordering = useMutation({
    mutationFn: (ordered: readonly ManagedField[]) =>
      orderFields(
        slug,
        resource,
        ordered.map(({ code }) => code),
      ),
    onMutate: async (ordered) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      const moved = ordered.map((field, index) => ({ ...field, position: index + 1 }))
      queries.setQueryData(queryKey, [...moved, ...archived])
      return { before }
    },
    onError: ({ message }, _ordered, kept) => {
      queries.setQueryData(queryKey, kept?.before)
      showToast({ tone: 'danger', message })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, 'fields'] }),
  })
  const may = roleMay(role, 'manage_fields')
  const { icon, many } = appearances[resource]
  return (
    <>
      {active.length === 0 && (
        <EmptyState
          icon={icon}
          title={`${many} have no fields yet`}
          text="Create the first one: a text, a date, a choice."
        />
      )}
      <SortableList
        label={`Fields of ${many.toLowerCase()}`}
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
