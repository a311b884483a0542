import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'

/** Leads to the page that was wanted, once a session has begun. */
export function useEnter(next: string | undefined): () => Promise<void> {
  const router = useRouter()
  const queries = useQueryClient()
  return async () => {
    queries.clear()
    const target = ownPath(next)
    // A query that was signed must stay as it is to the letter, and the router writes addresses in its own way.
    if (target.startsWith('/oauth/')) window.location.assign(target)
    else await router.navigate({ href: target })
  }
}

/** Links lead to pages of ours alone. */
export function ownPath(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : '/'
}
