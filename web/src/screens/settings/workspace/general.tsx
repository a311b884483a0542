import { roleMay } from '@kith/contract/permissions'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useSchema } from '../../../api/schema.ts'
import { sessionQuery } from '../../../api/session.ts'
import {
  deleteWorkspace,
  fillWithSample,
  renameWorkspace,
  requireSecondFactor,
  useSlug,
  useWorkspace,
  workspaceQuery,
} from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Input } from '../../../components/controls.tsx'
import { CopyButton } from '../../../components/copy.tsx'
import { Switch } from '../../../components/switch.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { useFormDraft } from '../../../drafts/form-draft.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { Form, FormDialog, FormField, FormProblem } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { appearanceOf } from '../../../resources.ts'
import { Page, Section } from '../page.tsx'

export function General() {
  const workspace = useWorkspace()
  const schema = useSchema()
  const empty = Object.values(workspace.counts).every((count) => count === 0)
  return (
    <Page title="General" text="Name, rules and deletion of this workspace.">
      <Section title="Name and slug">
        <NameForm />
      </Section>
      <Section title="In this workspace">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
          {[...schema.values()].map((resource) => (
            <Fact
              key={resource.type}
              name={appearanceOf(resource).name}
              value={formatNumber(workspace.counts[resource.type] ?? 0)}
            />
          ))}
          <Fact name="Since" value={formatMoment(workspace.created_at)} />
        </dl>
      </Section>
      <SecondFactorRule />
      {empty && roleMay(workspace.role, 'manage_workspace') && !workspace.paused && <SampleSection />}
      {roleMay(workspace.role, 'delete_workspace') && <DeleteWorkspace />}
    </Page>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-faint">{name}</dt>
      <dd data-numeric className="mt-0.5 text-sm">
        {value}
      </dd>
    </div>
  )
}

function NameForm() {
  const workspace = useWorkspace()
  const place = { slug: workspace.slug, resource: 'workspaces', id: workspace.slug, property: 'name' } as const
  const { form, key, change, removeSaved } = useFormDraft(place, {
    label: 'Name',
    name: workspace.name,
    fresh: () => ({ name: workspace.name }),
    shown: ({ name }) => ({ name }),
  })
  const renaming = useSave(({ name }: { name: string; key: string }) => renameWorkspace(workspace.slug, name), {
    reload: [workspaceQuery(workspace.slug).queryKey, sessionQuery.queryKey],
    next: (_, sent) => removeSaved(sent.key),
    message: 'Renamed the workspace',
  })
  const may = roleMay(workspace.role, 'manage_workspace')
  return (
    <Form
      saving={renaming}
      onSubmit={() => renaming.mutate({ name: form.name, key })}
      action={may && 'Save'}
      className="grid max-w-90 gap-4"
    >
      <FormField label="Name" name="name">
        <Input
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
          required
          maxLength={255}
          readOnly={!may}
        />
      </FormField>
      <div className="grid gap-1.5">
        <span className="text-xs font-medium text-quiet">Slug</span>
        <div className="flex items-center gap-2">
          <code className="min-w-0 flex-1 truncate rounded-md bg-sunk px-2.5 py-1.5 font-mono text-xs">
            {workspace.slug}
          </code>
          <CopyButton text={workspace.slug} aria-label="Copy the slug" />
        </div>
        <p className="text-xs text-faint">Used in addresses and on the command line. It cannot be changed.</p>
      </div>
    </Form>
  )
}

/** Offered while the workspace is empty. */
function SampleSection() {
  const slug = useSlug()
  const filling = useAction(() => fillWithSample(slug), {
    message: 'The workspace has sample records now.',
    reload: [[slug]],
  })
  return (
    <Section
      title="Sample records"
      text="Invented records to try Kith with. Available while the workspace is empty."
      extra={
        <Button disabled={filling.isPending} onClick={() => filling.mutate()}>
          {filling.isPending ? 'Filling…' : 'Fill with sample records'}
        </Button>
      }
    />
  )
}

/** Whether members need more than a password to open the workspace. */
function SecondFactorRule() {
  const { slug, role, requires_second_factor: on } = useWorkspace()
  const id = useId()
  const changing = useSave((required: boolean) => requireSecondFactor(slug, required), {
    reload: [workspaceQuery(slug).queryKey],
    message: (_, required) => (required ? 'Members now need a second factor' : 'A second factor is no longer required'),
  })
  return (
    <Section title="Sign-in">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <label htmlFor={id} className="text-sm font-medium">
            Require a second factor
          </label>
          <p id={`${id}-hint`} className="mt-0.5 max-w-130 text-sm text-quiet">
            Members open this workspace only after they signed in with a passkey or with a code of an authenticator app.
            Access tokens and connections keep working.
          </p>
        </div>
        <Switch
          id={id}
          aria-describedby={`${id}-hint`}
          checked={changing.isPending ? changing.variables : on}
          disabled={!roleMay(role, 'manage_workspace') || changing.isPending}
          onCheckedChange={(required) => changing.mutate(required)}
          className="mt-0.5"
        />
      </div>
      <div className="mt-3 empty:hidden">
        <FormProblem error={changing.error} />
      </div>
    </Section>
  )
}

/** For owners. Nothing brings a workspace back, so that its slug must be typed. */
function DeleteWorkspace() {
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
  const deleting = useSave(() => deleteWorkspace(slug), {
    next: async () => {
      showToast({ message: `Deleted the workspace ${name}` })
      queries.removeQueries({ queryKey: ['session'] })
      await navigate({ to: '/' })
      queries.removeQueries({ queryKey: [slug] })
    },
  })
  return (
    <FormDialog
      closesAtOnce
      title={`Delete ${name}?`}
      description="This cannot be undone."
      saving={deleting}
      onSubmit={() => deleting.mutate()}
      action="Delete the workspace"
      look="danger"
      disabled={typed.trim() !== slug}
      onClose={onClose}
    >
      <FormField label={`Type ${slug} to confirm`}>
        <Input value={typed} onChange={({ target }) => setTyped(target.value)} spellCheck={false} />
      </FormField>
    </FormDialog>
  )
}
