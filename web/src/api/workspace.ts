import type { BillingAnswer, WorkspaceAnswer } from '@kith/contract/app/workspace'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { callForData, dataQuery } from './call.ts'

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
  return dataQuery<WorkspaceAnswer>([slug, 'workspace'], `/w/${slug}/workspace`)
}

/** The workspace of this screen; the shell has loaded it before any screen is drawn. */
export function useWorkspace(): WorkspaceAnswer {
  return useSuspenseQuery(workspaceQuery(useSlug())).data
}

/** Changes of the workspace by owners and admins. */

export function renameWorkspace(slug: string, name: string): Promise<unknown> {
  return callForData('PATCH', `/w/${slug}/workspace`, { body: { name } })
}

export function requireSecondFactor(slug: string, required: boolean): Promise<unknown> {
  return callForData('POST', `/w/${slug}/second-factor`, { body: { required } })
}

export function deleteWorkspace(slug: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/workspace`, { body: { confirm: slug } })
}

export function fillWithSample(slug: string): Promise<unknown> {
  return callForData('POST', `/w/${slug}/sample`, { body: {} })
}

export function billingQuery(slug: string) {
  return dataQuery<BillingAnswer>([slug, 'billing'], `/w/${slug}/billing`)
}
