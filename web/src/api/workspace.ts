import type { PicturedMember } from '@kith/contract/app/members'
import type { WorkspaceAnswer } from '@kith/contract/app/workspace'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { callForData } from './call.ts'

/** The slug in the address: every screen below `/$workspace` has one. */
export function useSlug(): string {
  const slug = useContext(SlugContext)
  if (slug === undefined) throw new Error('This screen belongs to no workspace.')
  return slug
}

/**
 * Given by the shell: thousands of cells ask for it, and the router would have each of them listen for every address.
 */
export const SlugContext = createContext<string | undefined>(undefined)

export function workspaceQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'workspace'],
    queryFn: ({ signal }) => callForData<WorkspaceAnswer>('GET', `/w/${slug}/workspace`, { signal }),
  })
}

export function membersQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'members'],
    queryFn: ({ signal }) => callForData<PicturedMember[]>('GET', `/w/${slug}/members`, { signal }),
    staleTime: 5 * 60_000,
  })
}

/** The workspace of this screen; the shell has loaded it before any screen is drawn. */
export function useWorkspace(): WorkspaceAnswer {
  return useSuspenseQuery(workspaceQuery(useSlug())).data
}

export function useMembers(): PicturedMember[] {
  return useSuspenseQuery(membersQuery(useSlug())).data
}
