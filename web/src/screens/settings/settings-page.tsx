import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, Suspense } from 'react'
import { chunk } from '../../components/chunk.tsx'
import { NotFound } from '../not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'

const route = getRouteApi('/$workspace/settings/$page')

const pages: Readonly<Record<string, ComponentType>> = {
  profile: chunk(async () => (await import('./profile/profile.tsx')).Profile),
  security: chunk(async () => (await import('./security/security.tsx')).Security),
  workspace: chunk(async () => (await import('./workspace/general.tsx')).General),
  members: chunk(async () => (await import('./members/members.tsx')).Members),
  fields: chunk(async () => (await import('./fields/fields.tsx')).Fields),
  tokens: chunk(async () => (await import('./tokens/tokens.tsx')).Tokens),
  connections: chunk(async () => (await import('./tokens/connections.tsx')).Connections),
  sync: chunk(async () => (await import('./sync/sync.tsx')).Sync),
  webhooks: chunk(async () => (await import('./webhooks/webhooks.tsx')).Webhooks),
  imports: chunk(async () => (await import('./imports/imports.tsx')).Imports),
  trash: chunk(async () => (await import('./trash/trash.tsx')).Trash),
  audit: chunk(async () => (await import('./audit/audit.tsx')).Audit),
  billing: chunk(async () => (await import('./billing/billing.tsx')).Billing),
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
