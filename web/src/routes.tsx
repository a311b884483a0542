import type { SessionAnswer } from '@kith/contract/app/session'
import { useSuspenseQuery } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  notFound,
  Outlet,
  redirect,
  useParams,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { membersQuery } from './api/members.ts'
import { queryClient } from './api/query-client.ts'
import { SchemaContext, schemaIn, schemaQuery, useSchema } from './api/schema.ts'
import { type Membership, sessionQuery, startQuery } from './api/session.ts'
import { viewsQuery } from './api/views.ts'
import { SlugContext, useSlug, workspaceQuery } from './api/workspace.ts'
import { chunk } from './components/chunk.tsx'
import { openDrafts } from './drafts/drafts.ts'
import { resourceParams } from './places.ts'
import { Failed, NotFound, NotFoundPage, WorkspaceFailed } from './screens/failed.tsx'
import { NextTaskPlace } from './screens/next-task/next-task-place.tsx'
import { PalettePlace } from './screens/palette/palette-place.tsx'
import { preloadLayout } from './screens/records/layouts.ts'
import { type ListState, parseListState } from './screens/records/list-state.ts'
import { parseReportFilter, type ReportFilter } from './screens/reports/report-filter.ts'
import { Shell, ShellSkeleton } from './shell/shell.tsx'
import { openUploads } from './uploads/uploads.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: Failed })

/** Redirects from the root to the set-up, to sign-in, or to the last open workspace. */
const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { needs_set_up, signed_in } = await queryClient.fetchQuery(startQuery)
    if (needs_set_up) throw redirect({ to: '/set-up' })
    if (!signed_in) throw redirect({ to: '/sign-in' })
    const { workspaces } = await queryClient.fetchQuery(sessionQuery)
    const [first] = workspaces
    if (!first) throw redirect({ to: '/new-workspace' })
    throw redirect({ to: '/$workspace', params: { workspace: lastOf(workspaces) ?? first.slug } })
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string; email?: string; problem?: string } => ({
    ...(typeof search.problem === 'string' ? { problem: search.problem } : {}),
    ...(typeof search.next === 'string' ? { next: search.next } : {}),
    ...(typeof search.email === 'string' ? { email: search.email } : {}),
  }),
  component: chunk(async () => (await import('./screens/entrance/sign-in.tsx')).SignIn),
})

const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  validateSearch: tokenIn,
  component: chunk(async () => (await import('./screens/entrance/set-up.tsx')).SetUp),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: tokenIn,
  component: chunk(async () => (await import('./screens/entrance/invitation.tsx')).Invitation),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: (search): { token?: string; first?: boolean } => ({
    ...tokenIn(search),
    ...(search.first === true ? { first: true } : {}),
  }),
  component: chunk(async () => (await import('./screens/entrance/reset-password.tsx')).ResetPassword),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: chunk(async () => (await import('./screens/entrance/reset-password.tsx')).ForgotPassword),
})

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  validateSearch: tokenIn,
  beforeLoad: ({ location }) => requireSession(location.href),
  component: chunk(async () => (await import('./screens/entrance/confirm-email.tsx')).ConfirmEmail),
})

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe',
  validateSearch: tokenIn,
  component: chunk(async () => (await import('./screens/entrance/unsubscribe.tsx')).Unsubscribe),
})

const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/new-workspace',
  component: chunk(async () => (await import('./screens/entrance/set-up.tsx')).NewWorkspace),
})

const consent = createRoute({
  getParentRoute: () => root,
  path: '/oauth/consent',
  beforeLoad: () => requireSession(window.location.pathname + window.location.search),
  component: chunk(async () => (await import('./screens/entrance/consent.tsx')).Consent),
})

/** Fetches the data that every screen of a workspace needs, in parallel, before the first one is shown. */
const workspace = createRoute({
  getParentRoute: () => root,
  path: '/$workspace',
  beforeLoad: async ({ location }) => {
    const { user } = await requireSession(location.href)
    openDrafts(user.id)
    openUploads(user.id)
  },
  loader: async ({ params: { workspace: slug } }) => {
    await Promise.all([
      queryClient.ensureQueryData(workspaceQuery(slug)).catch((error: unknown) => {
        throw isKind(error, 'not_found') ? notFound() : error
      }),
      queryClient.ensureQueryData(schemaQuery(slug)).catch(ignoreMissing),
      queryClient.ensureQueryData(membersQuery(slug)).catch(ignoreMissing),
      queryClient.ensureQueryData(viewsQuery(slug)).catch(ignoreMissing),
    ])
    localStorage.setItem(LAST, slug)
  },
  staleTime: Number.POSITIVE_INFINITY,
  pendingMs: 300,
  pendingComponent: ShellSkeleton,
  component: Workspace,
  errorComponent: WorkspaceFailed,
})

const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: chunk(async () => (await import('./screens/home/home.tsx')).Home),
})

/** The list or the board of a resource. */
const records = createRoute({
  getParentRoute: () => workspace,
  path: '$resource',
  params: resourceParams,
  validateSearch: parseListState,
  component: ofResource(chunk(async () => (await loadRecords()).Records)),
})

const record = createRoute({
  getParentRoute: () => workspace,
  path: '$resource/$id',
  params: {
    parse: ({ id, ...rest }) => ({ ...resourceParams.parse(rest), id }),
    stringify: ({ id, ...rest }) => ({ ...resourceParams.stringify(rest), id }),
  },
  // The comment that a link leads to.
  validateSearch: ({ comment }): { comment?: string } => (typeof comment === 'string' ? { comment } : {}),
  component: ofResource(chunk(async () => (await import('./screens/record/record-page.tsx')).RecordPage)),
})

/** No resource has this code. */
const file = createRoute({
  getParentRoute: () => workspace,
  path: 'files/$id',
  component: chunk(async () => (await import('./screens/files/file-page.tsx')).FilePage),
})

/** No resource has this code. */
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: 'notifications',
  validateSearch: ({ unread }): { unread?: true } => (unread === true ? { unread } : {}),
  component: chunk(async () => (await import('./screens/inbox/inbox.tsx')).Inbox),
})

/** Brings the records of a file into a resource. */
const importFile = createRoute({
  getParentRoute: () => workspace,
  path: '$resource/import',
  params: resourceParams,
  component: ofResource(chunk(async () => (await import('./screens/import/import-screen.tsx')).ImportScreen)),
})

/** No resource has this code. */
const reports = createRoute({
  getParentRoute: () => workspace,
  path: 'reports',
  validateSearch: (search): ReportFilter & { report?: string } => ({
    ...(typeof search.report === 'string' ? { report: search.report } : {}),
    ...parseReportFilter(search),
  }),
  component: chunk(async () => (await import('./screens/reports/reports.tsx')).Reports),
})

const duplicates = createRoute({
  getParentRoute: () => workspace,
  path: 'duplicates',
  validateSearch: (search): ListSearch & { merge?: string } => ({
    ...placedIn(search),
    ...(typeof search.merge === 'string' ? { merge: search.merge } : {}),
  }),
  component: chunk(async () => (await import('./screens/duplicates/duplicates.tsx')).Duplicates),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  beforeLoad: ({ params, location }) => {
    if (!/\/settings\/?$/.test(location.pathname)) return
    throw redirect({ to: '/$workspace/settings/$page', params: { ...params, page: 'profile' } })
  },
  component: chunk(async () => (await import('./screens/settings/settings.tsx')).Settings),
})

const settingsPage = createRoute({
  getParentRoute: () => settings,
  path: '$page',
  validateSearch: (search): ListSearch & Pick<ListState, 'filter'> & WebhookSearch & { job?: string } => {
    const { filter } = parseListState(search)
    const job = typeof search.job === 'string' ? { job: search.job } : {}
    return { ...placedIn(search), ...(filter && { filter }), ...job, ...webhookIn(search) }
  },
  component: chunk(async () => (await import('./screens/settings/settings.tsx')).SettingsPage),
})

const tree = root.addChildren([
  index,
  signIn,
  setUp,
  invitation,
  resetPassword,
  forgotPassword,
  confirmEmail,
  unsubscribe,
  newWorkspace,
  consent,
  workspace.addChildren([
    home,
    records,
    importFile,
    record,
    file,
    inbox,
    reports,
    duplicates,
    settings.addChildren([settingsPage]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPreloadDelay: 80,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** The shell around every screen, and the search that opens over all of them. */
function Workspace(): ReactNode {
  const { workspace } = useParams({ strict: false })
  return (
    <SlugContext value={workspace}>
      <WithSchema>
        <Shell />
        <PalettePlace />
        <NextTaskPlace />
      </WithSchema>
    </SlugContext>
  )
}

function WithSchema({ children }: { children: ReactNode }) {
  const { data } = useSuspenseQuery(schemaQuery(useSlug()))
  return <SchemaContext value={schemaIn(data)}>{children}</SchemaContext>
}

/** A screen of the resource that the address names. Somebody may archive it while the screen is open. */
function ofResource(Screen: ReturnType<typeof chunk<object>>) {
  function KnownResource() {
    const { resource = '' } = useParams({ strict: false })
    return useSchema().has(resource) ? <Screen /> : <NotFound />
  }
  return Object.assign(KnownResource, { preload: Screen.preload })
}

async function loadRecords() {
  const [screen] = await Promise.all([import('./screens/records/records.tsx'), preloadLayout()])
  return screen
}

const LAST = 'kith.workspace'

function lastOf(workspaces: readonly Membership[]): string | undefined {
  const kept = localStorage.getItem(LAST)
  return workspaces.find(({ slug }) => slug === kept)?.slug
}

/** Redirects signed-out users to sign-in, and back afterwards. */
async function requireSession(next: string): Promise<SessionAnswer> {
  return queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
    if (!isKind(error, 'unauthenticated')) throw error
    throw redirect({ to: '/sign-in', search: { next } })
  })
}

/** The resource and the page of a list in the settings. */
type ListSearch = { of?: string; at?: number; problem?: string }

function placedIn({ of, at, problem }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof problem === 'string' ? { problem } : {}),
    ...(typeof of === 'string' ? { of } : {}),
    ...(typeof at === 'number' && Number.isInteger(at) && at > 1 ? { at } : {}),
  }
}

/** The open webhook (`new` for a new one), and the part of it that is shown. */
type WebhookSearch = { webhook?: string; edit?: true; failed?: true; delivery?: string }

function webhookIn({ webhook, edit, failed, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(typeof webhook === 'string' ? { webhook } : {}),
    ...(edit === true ? { edit } : {}),
    ...(failed === true ? { failed } : {}),
    ...(typeof delivery === 'string' ? { delivery } : {}),
  }
}

/** The secret of a link. The router has parsed one of digits as a number. */
function tokenIn({ token }: Record<string, unknown>): { token?: string } {
  return typeof token === 'string' || typeof token === 'number' ? { token: String(token) } : {}
}

function isKind(error: unknown, kind: string): boolean {
  return typeof error === 'object' && error !== null && 'kind' in error && error.kind === kind
}

/** If only the workspace was not found, its own failure is shown. */
function ignoreMissing(error: unknown): void {
  if (!isKind(error, 'not_found')) throw error
}
