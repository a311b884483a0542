import { type ComponentType, lazy, useState } from 'react'

type Chunk<Props> = ComponentType<Props> & { preload(): Promise<unknown> }

/**
 * A component that is fetched separately. What was preloaded is drawn at once; otherwise a `Suspense` around it shows
 * something else, which React keeps for at least 300 ms.
 */
export function chunk<Props extends object>(fetch: () => Promise<ComponentType<Props>>): Chunk<Props> {
  let fetched: ComponentType<Props> | undefined
  const load = async () => {
    fetched = await fetch()
    return { default: fetched }
  }
  const Lazy = lazy(load)
  function Fetched(props: Props) {
    // It stays the same while it is shown: another component would lose its state.
    const [Shown] = useState(() => fetched ?? Lazy)
    return <Shown {...props} />
  }
  return Object.assign(Fetched, { preload: load })
}
