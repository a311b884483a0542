import { type Client, createClient } from '@kith/sdk'
import { appHeaders } from './call.ts'

const clients = new Map<string, Client>()

/** The typed client, for the REST API of a workspace. The session replaces the token. */
export function clientOf(slug: string): Client {
  const known = clients.get(slug)
  if (known) return known
  const client = createClient({
    url: `${window.location.origin}/api/app/w/${slug}`,
    token: 'session',
    retries: 1,
    // The query client fetches lists again later. A user who saves sees a failure at once.
    longest_wait: 2,
    fetch: (input, init) => fetch(input, { ...init, headers: withoutToken(init?.headers) }),
  })
  clients.set(slug, client)
  return client
}

function withoutToken(sent: HeadersInit | undefined): Headers {
  const headers = new Headers(sent)
  headers.delete('Authorization')
  for (const [name, value] of Object.entries(appHeaders)) headers.set(name, value)
  return headers
}
