import { roleMay } from '@kith/contract/permissions'
import { resourceNames } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useFormDraft } from '../../../api/form-draft.ts'
import { renameWorkspace } from '../../../api/managed-workspace.ts'
import { problemsOf } from '../../../api/problems.ts'
import { sessionQuery } from '../../../api/session.ts'
import { useWorkspace, workspaceQuery } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { appearances } from '../../../resources.ts'
import { Page, Section } from '../page.tsx'
import { DeleteWorkspace } from './delete-workspace.tsx'
import { SampleSection } from './sample-section.tsx'
import { SecondFactorRule } from './second-factor-rule.tsx'

export function General() {
  const workspace = useWorkspace()
  const empty = resourceNames.every((resource) => workspace.counts[resource] === 0)
  return (
    <Page title="General" text="Name, rules and deletion of this workspace.">
      <Section title="Name and slug">
        <NameForm />
      </Section>
      <Section title="In this workspace">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
          {resourceNames.map((resource) => (
            <Fact key={resource} name={appearances[resource].many} value={formatNumber(workspace.counts[resource])} />
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
  const queries = useQueryClient()
  const place = { slug: workspace.slug, resource: 'workspaces', id: workspace.slug, property: 'name' } as const
  const { form, key, change, forgetSaved } = useFormDraft(place, {
    label: 'Name',
    name: workspace.name,
    page: useLocation({ select: ({ href }) => href }),
    fresh: () => ({ name: workspace.name }),
    shown: ({ name }) => ({ name }),
  })
  const renaming = useMutation({
    mutationFn: ({ name }: { name: string; key: string }) => renameWorkspace(workspace.slug, name),
    onSuccess: async (_saved, sent) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: workspaceQuery(workspace.slug).queryKey }),
        queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ])
      forgetSaved(sent.key)
      showToast({ message: 'Renamed the workspace' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.mutate({ name: form.name, key })
  }
  const may = roleMay(workspace.role, 'manage_workspace')
  const problems = problemsOf(renaming.error, ['name'])
  return (
    <form onSubmit={submit} className="grid max-w-90 gap-4">
      <FormField label="Name" errors={problems.at('name')}>
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
      <FormProblem text={problems.general} />
      {may && (
        <div>
          <Button type="submit" look="primary" disabled={renaming.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  )
}
