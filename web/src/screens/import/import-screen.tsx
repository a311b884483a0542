import { roleMay } from '@kith/contract/permissions'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Lock, Upload } from 'lucide-react'
import { useMemo } from 'react'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { appearances } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { useDefinitions } from './columns/definitions.ts'
import { ColumnsStep } from './columns-step.tsx'
import { useDraft } from './draft-store.ts'
import { FileStep } from './file-step.tsx'

const route = getRouteApi('/$workspace/$resource/import')

/** Brings the records of a file into a resource: choose the file, then its columns, then look at the check. */
export function ImportScreen() {
  const { resource } = route.useParams()
  return <ImportOf key={resource} resource={resource} />
}

function ImportOf({ resource }: { resource: ResourceName }) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const definitions = useDefinitions()
  const context = useMemo(() => ({ resource: registry[resource], definitions }), [resource, definitions])
  const draft = useDraft(slug, resource)
  const { many } = appearances[resource]
  return (
    <>
      <Header icon={<Upload aria-hidden />} title={`Import ${many.toLowerCase()}`}>
        <Link
          to="/$workspace/settings/$page"
          params={{ workspace: slug, page: 'imports' }}
          className="rounded-md px-2 py-1 text-sm text-quiet hover:bg-hover hover:text-ink"
        >
          Earlier imports
        </Link>
      </Header>
      {!roleMay(role, 'create') ? (
        <EmptyState icon={Lock} title="You may not import" text="Your role may read records, but not create them." />
      ) : draft ? (
        <ColumnsStep draft={draft} context={context} />
      ) : (
        <FileStep context={context} />
      )}
    </>
  )
}
