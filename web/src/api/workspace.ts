import type { Role } from '@kith/contract/abilities'
import type { ResourceName } from '@kith/contract/resource'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { callForData } from './call.ts'

export type Workspace = {
  id: string
  slug: string
  name: string
  role: Role
  created_at: string
  paused: boolean
  trial_ends_at: string | null
  counts: Record<ResourceName, number>
}

export type Member = { id: string; name: string; email: string; role: Role; joined_at: string }

/** The slug in the address: every screen below `/$workspace` has one. */
export function useSlug(): string {
  const { workspace } = useParams({ strict: false })
  if (workspace === undefined) throw new Error('This screen belongs to no workspace.')
  return workspace
}

export function workspaceQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'workspace'],
    queryFn: ({ signal }) => callForData<Workspace>('GET', `/w/${slug}/workspace`, { signal }),
  })
}

export function membersQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'members'],
    queryFn: ({ signal }) => callForData<Member[]>('GET', `/w/${slug}/members`, { signal }),
    staleTime: 5 * 60_000,
  })
}

/** The workspace of this screen; the shell has loaded it before any screen is drawn. */
export function useWorkspace(): Workspace {
  return useSuspenseQuery(workspaceQuery(useSlug())).data
}

export function useMembers(): Member[] {
  return useSuspenseQuery(membersQuery(useSlug())).data
}
