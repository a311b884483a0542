import { roleMay } from '@kith/contract/permissions'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Sprout } from 'lucide-react'
import { call } from '../../api/call.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'

/** Where nothing is yet: the ways to begin. */
export function FirstSteps() {
  const slug = useSlug()
  const { role } = useWorkspace()
  const queries = useQueryClient()
  const sample = useMutation({
    mutationFn: () => call('POST', `/w/${slug}/sample`, { body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug] }),
  })
  return (
    <EmptyState
      icon={Sprout}
      title="This workspace is new"
      text="Add the first company, import a file, or create an access token and let an integration do it. This page will show your open tasks and recent changes."
    >
      {roleMay(role, 'manage_fields') && (
        <div className="w-full">
          <Button look="primary" disabled={sample.isPending} onClick={() => sample.mutate()}>
            {sample.isPending ? 'Creating sample records…' : 'Fill with sample records'}
          </Button>
        </div>
      )}
      <Link to="/$workspace/$resource" params={{ workspace: slug, resource: 'companies' }} className={link}>
        Go to companies
      </Link>
      {roleMay(role, 'create') && (
        <Link to="/$workspace/$resource/import" params={{ workspace: slug, resource: 'companies' }} className={link}>
          Import a file
        </Link>
      )}
      <Link to="/$workspace/settings/$page" params={{ workspace: slug, page: 'tokens' }} className={link}>
        Make an access token
      </Link>
      {sample.error && (
        <p role="alert" className="w-full text-sm text-danger">
          {sample.error.message}
        </p>
      )}
    </EmptyState>
  )
}

const link = 'inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover'
