import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { Link } from '@tanstack/react-router'
import { useSlug } from '../../api/workspace.ts'
import { appearances } from '../../resources.ts'

/** Says that the record on the screen is gone meanwhile. It stays on the screen, with what was typed into it. */
export function GoneNote({ resource, error }: { resource: ResourceName; error: Error | null }) {
  const slug = useSlug()
  if (!(error instanceof KithError) || error.kind !== 'not_found') return null
  const { one } = appearances[resource]
  const winner = error.merged_into?.id
  return (
    <p role="alert" className="shrink-0 border-b border-line bg-warning-soft px-4 py-2 text-sm text-warning">
      {winner === undefined ? (
        `This ${one} was deleted meanwhile, or you no longer have access to it.`
      ) : (
        <>
          This {one} was merged into another one meanwhile.{' '}
          <Link to="/$workspace/$resource/$id" params={{ workspace: slug, resource, id: winner }} className="underline">
            Open that {one}
          </Link>
        </>
      )}
    </p>
  )
}
