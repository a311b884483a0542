import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'

/** Opens the requested page after sign-in. */
export function useEnter(next: string | undefined): () => Promise<void> {
  const router = useRouter()
  const queries = useQueryClient()
  return async () => {
    queries.clear()
    const target = ownPath(next)
    // A signed query must not change, and the router rewrites addresses.
    if (target.startsWith('/oauth/')) window.location.assign(target)
    else await router.navigate({ href: target })
  }
}

/** Only pages of this application. */
export function ownPath(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : '/'
}
