import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { NotFound } from '../not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'

const route = getRouteApi('/$workspace/settings/$page')

const pages: Readonly<Record<string, ComponentType>> = {
  profile: lazy(async () => ({ default: (await import('./profile/profile.tsx')).Profile })),
  security: lazy(async () => ({ default: (await import('./security/security.tsx')).Security })),
  workspace: lazy(async () => ({ default: (await import('./workspace/general.tsx')).General })),
  members: lazy(async () => ({ default: (await import('./members/members.tsx')).Members })),
  fields: lazy(async () => ({ default: (await import('./fields/fields.tsx')).Fields })),
  tokens: lazy(async () => ({ default: (await import('./tokens/tokens.tsx')).Tokens })),
  connections: lazy(async () => ({ default: (await import('./tokens/connections.tsx')).Connections })),
  sync: lazy(async () => ({ default: (await import('./sync/sync.tsx')).Sync })),
  webhooks: lazy(async () => ({ default: (await import('./webhooks/webhooks.tsx')).Webhooks })),
  imports: lazy(async () => ({ default: (await import('./imports/imports.tsx')).Imports })),
  trash: lazy(async () => ({ default: (await import('./trash/trash.tsx')).Trash })),
  audit: lazy(async () => ({ default: (await import('./audit/audit.tsx')).Audit })),
  billing: lazy(async () => ({ default: (await import('./billing/billing.tsx')).Billing })),
}

export function SettingsPage() {
  const { page } = route.useParams()
  const Page = Object.hasOwn(pages, page) ? pages[page] : undefined
  if (!Page) return <NotFound />
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Page />
    </Suspense>
  )
}
