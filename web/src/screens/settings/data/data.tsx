import { roleMay } from '@kith/contract/permissions'
import { isOwn, type Resource } from '@kith/contract/resource'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Archive, ArchiveRestore, List, MoreHorizontal, Pencil, Plus, TextCursorInput, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  archiveResource,
  deleteResource,
  orderResources,
  restoreResource,
  schemaKey,
  schemaQuery,
  useSchema,
} from '../../../api/schema.ts'
import { useSlug, useWorkspace, workspaceQuery } from '../../../api/workspace.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { SortableList } from '../../../components/sortable-list.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { tellFailure, useAction } from '../../../forms/save.ts'
import { ResourceIcon } from '../../../resource-icon.tsx'
import { appearanceOf } from '../../../resources.ts'
import { CopiedCode } from '../copied-code.tsx'
import { Page, Section } from '../page.tsx'
import { ResourceDialog } from './resource-dialog.tsx'

/** The resources of the workspace: those that every workspace has, its own in their order, and archived ones. */
export function Data() {
  const slug = useSlug()
  const schema = useSchema()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  // The numbers of records are those of now.
  useQuery({ ...workspaceQuery(slug), refetchOnMount: 'always' })
  const [edited, setEdited] = useState<Resource | 'new'>()
  const may = roleMay(role, 'manage_fields')
  const resources = [...schema.values()]
  const own = useOrdered(resources.filter(isOwn))
  const archived = [...schema.archived.values()]
  const line = (resource: Resource) => <ResourceLine resource={resource} onEdit={may ? setEdited : undefined} />
  return (
    <Page
      title="Data"
      text="The kinds of records in this workspace. Make your own, such as projects, and name them as your team does."
      action={
        may && (
          <Button look="primary" onClick={() => setEdited('new')}>
            <Plus aria-hidden />
            New resource
          </Button>
        )
      }
    >
      <ul aria-label="Resources of every workspace" className="border-t border-line">
        {resources
          .filter((resource) => !isOwn(resource))
          .map((resource) => (
            <li key={resource.type} className="flex items-center gap-1 border-b border-line last:border-b-0">
              {line(resource)}
            </li>
          ))}
      </ul>
      {own.items.length > 0 && (
        <Section
          title="Your own"
          text={may ? 'In the order of the navigation. Drag a line to move it.' : 'In the order of the navigation.'}
        >
          <SortableList
            label="Your own resources"
            items={own.items}
            idOf={({ type }) => type}
            nameOf={({ row }) => row.name}
            onOrder={own.order}
            disabled={!may}
            className="gap-1 border-b border-line bg-paper first:border-t"
          >
            {line}
          </SortableList>
        </Section>
      )}
      {archived.length > 0 && (
        <Section
          title="Archived"
          text="Archived resources are hidden, but their records are kept. Restore a resource, or delete it permanently."
        >
          <ul aria-label="Archived resources" className="border-t border-line">
            {archived.map((resource) => (
              <li key={resource.type} className="flex items-center gap-1 border-b border-line">
                <ArchivedLine resource={resource} may={may} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {edited && (
        <ResourceDialog
          key={edited === 'new' ? 'new' : edited.type}
          resource={edited === 'new' ? undefined : edited}
          {...(edited === 'new' && {
            onSaved: (code) => navigate({ to: '/$workspace/$resource', params: { workspace: slug, resource: code } }),
          })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  )
}

/** Own resources in their order, and a change of it, which is shown at once. */
function useOrdered(own: readonly Resource[]) {
  const slug = useSlug()
  const queries = useQueryClient()
  const { queryKey } = schemaQuery(slug)
  const ordering = useMutation({
    mutationFn: (ordered: readonly Resource[]) =>
      orderResources(
        slug,
        ordered.map(({ type }) => type),
      ),
    onMutate: () => queries.cancelQueries({ queryKey }),
    onError: tellFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: schemaKey(slug) }),
  })
  return { items: ordering.isPending ? ordering.variables : own, order: ordering.mutate }
}

/** A resource on a line: its name opens its names, its code is copied at a click. */
function ResourceLine(props: { resource: Resource; onEdit: ((resource: Resource) => void) | undefined }) {
  const { resource, onEdit } = props
  const { type, fields } = resource
  const { slug, counts } = useWorkspace()
  const records = counts[type] ?? 0
  const link = 'flex min-h-6 items-center justify-end hover:text-ink hover:underline'
  return (
    <>
      <Name resource={resource} onEdit={onEdit} />
      <div data-numeric className="flex shrink-0 flex-col text-xs text-faint sm:flex-row">
        <Link to="/$workspace/$resource" params={{ workspace: slug, resource: type }} className={`${link} sm:w-24`}>
          {records === 1 ? '1 record' : `${formatNumber(records)} records`}
        </Link>
        <Link
          to="/$workspace/settings/$page"
          params={{ workspace: slug, page: 'fields' }}
          search={{ of: type }}
          className={`${link} sm:w-20`}
        >
          {fields.list.length === 1 ? '1 field' : `${formatNumber(fields.list.length)} fields`}
        </Link>
      </div>
      {onEdit ? <ResourceMenu resource={resource} onEdit={() => onEdit(resource)} /> : <span className="w-2" />}
    </>
  )
}

function Name({ resource, onEdit }: { resource: Resource; onEdit: ((resource: Resource) => void) | undefined }) {
  const { type, row } = resource
  return (
    <>
      <span className="ml-1">
        <ResourceIcon of={appearanceOf(resource)} />
      </span>
      <div className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-0.5 py-1.5 pl-1">
        {onEdit ? (
          <button
            type="button"
            dir="auto"
            onClick={() => onEdit(resource)}
            className="min-h-6 max-w-full truncate rounded-sm text-left text-sm font-medium hover:underline"
          >
            {row.name}
          </button>
        ) : (
          <span dir="auto" className="max-w-full truncate text-sm font-medium">
            {row.name}
          </span>
        )}
        <CopiedCode code={type} />
      </div>
    </>
  )
}

type ResourceCall = (slug: string, code: string) => Promise<unknown>

/** Archives, restores or deletes a resource. Archiving can be undone. */
function useResourceAction({ type }: Resource) {
  const slug = useSlug()
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: [slug] })
  return useAction(({ act }: { act: ResourceCall; done: string; undo?: ResourceCall }) => act(slug, type), {
    next: (_, { done, undo }) =>
      showToast({
        message: done,
        ...(undo ? { undo: async () => void (await undo(slug, type).then(refresh)) } : {}),
      }),
    // Searches, counts and links change with it.
    reload: [[slug]],
  })
}

function ResourceMenu({ resource, onEdit }: { resource: Resource; onEdit(): void }) {
  const { type, row } = resource
  const slug = useSlug()
  const navigate = useNavigate()
  const acting = useResourceAction(resource)
  return (
    <Menu>
      <MenuTrigger asChild>
        <IconButton label={`More about ${row.name}`}>
          <MoreHorizontal />
        </IconButton>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem icon={<Pencil />} onSelect={onEdit}>
          Edit
        </MenuItem>
        <MenuItem
          icon={<TextCursorInput />}
          onSelect={() =>
            navigate({
              to: '/$workspace/settings/$page',
              params: { workspace: slug, page: 'fields' },
              search: { of: type },
            })
          }
        >
          Fields
        </MenuItem>
        <MenuItem
          icon={<List />}
          onSelect={() => navigate({ to: '/$workspace/$resource', params: { workspace: slug, resource: type } })}
        >
          Open the list
        </MenuItem>
        <MenuItem
          icon={<Archive />}
          disabled={!isOwn(resource)}
          onSelect={() => acting.mutate({ act: archiveResource, done: `Archived ${row.name}`, undo: restoreResource })}
        >
          Archive
        </MenuItem>
      </MenuContent>
    </Menu>
  )
}

function ArchivedLine({ resource, may }: { resource: Resource; may: boolean }) {
  const { name } = resource.row
  const acting = useResourceAction(resource)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Name resource={resource} onEdit={undefined} />
      {may && (
        <>
          <Button
            size="small"
            aria-label={`Restore ${name}`}
            disabled={acting.isPending}
            onClick={() => acting.mutate({ act: restoreResource, done: `Restored ${name}` })}
          >
            <ArchiveRestore aria-hidden className="max-sm:hidden" />
            Restore
          </Button>
          <IconButton label={`Delete ${name} for good`} onClick={() => setAsking(true)}>
            <Trash2 />
          </IconButton>
          <Confirm
            open={asking}
            onOpenChange={setAsking}
            title={`Delete ${name}?`}
            action="Delete for good"
            onConfirm={() => acting.mutate({ act: deleteResource, done: `Deleted ${name}` })}
          >
            The resource is gone for good, with all its records, fields and views. This cannot be undone.
          </Confirm>
        </>
      )}
    </>
  )
}
