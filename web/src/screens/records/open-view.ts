import type { View } from '@kith/contract/app/views'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { viewsQuery } from '../../api/views.ts'
import { useSlug } from '../../api/workspace.ts'
import { useListState } from './list-state.ts'

/** The saved views of a resource that this member sees. */
export function useViews(resource: ResourceName): View[] {
  const { data: all = [] } = useQuery(viewsQuery(useSlug()))
  return all.filter((view) => view.resource === resource)
}

/** The saved view that the address names. */
export function useOpenView(resource: ResourceName): View | undefined {
  const [{ view }] = useListState()
  return useViews(resource).find(({ id }) => id === view)
}
