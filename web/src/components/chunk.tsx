import { type ComponentType, lazy, type ReactNode, useState } from 'react'
import { showToast } from './toast-store.ts'

/**
 * A component that is fetched separately. If it was preloaded, it is drawn at once; otherwise a `Suspense` around it
 * shows something else, which React keeps for at least 300 ms. It waits for a service that is away.
 */
export function chunk<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
): ((props: Props) => ReactNode) & { preload(): Promise<void> } {
  let fetched: ComponentType<Props> | undefined
  const load = async () => {
    fetched ??= await patiently(fetch)
    return { default: fetched }
  }
  const Lazy = lazy(load)
  function Fetched(props: Props) {
    // It stays the same while it is shown: another component would lose its state.
    const [Shown] = useState(() => fetched ?? Lazy)
    return <Shown {...props} />
  }
  return Object.assign(Fetched, {
    /** After a failure it is fetched again when it is drawn. */
    async preload() {
      fetched ??= await fetch().catch(() => undefined)
    },
  })
}

const AGAIN_MS = 2000

/** Tries until the service is there again. If it is there without the file, it has another version. */
async function patiently<T>(fetch: () => Promise<T>): Promise<T> {
  for (let isThere = false, isTold = false; ; ) {
    try {
      return await fetch()
    } catch (error) {
      // Once more, because the service may have come back in between.
      if (isThere) return reloadOnce(error)
      isThere = await isServiceThere()
      if (isThere) continue
      if (!isTold) showToast({ message: 'The service could not be reached. What you opened appears when it is back.' })
      isTold = true
      await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS))
    }
  }
}

function isServiceThere(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Typed text is kept. The message names the file, so that one that stays missing does not reload for ever. */
function reloadOnce(error: unknown): Promise<never> {
  const key = `kith.reloaded ${error}`
  if (sessionStorage.getItem(key) !== null) throw error
  sessionStorage.setItem(key, '')
  window.location.reload()
  return new Promise(() => {})
}
