import type { ResourceName } from '../resource.ts'

/** A saved view. What is in its state is the application's own business. */
export type View = {
  id: string
  resource: ResourceName
  name: string
  shared: boolean
  /** Null when its owner has left the workspace. */
  owner: { id: string; name: string } | null
  state: Readonly<Record<string, unknown>>
  position: number
}
