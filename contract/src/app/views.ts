import type { ResourceName } from '../resource.ts'

/** A saved view. Only the application knows the content of its state. */
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
