import { VIEW_NAME_MAX } from '../limits.ts'
import { resourceCode } from '../resource-code.ts'
import * as is from '../shape.ts'

/** What a user sets of a saved view. Only the application knows the content of its state. */
export const newView = {
  resource: resourceCode(),
  name: is.line({ maxLength: VIEW_NAME_MAX }),
  shared: is.or(false, is.flag()),
  state: is.or({}, is.given<Readonly<Record<string, unknown>>>({ type: 'object' })),
} as const

/** The resource of a view never changes. */
export const viewChanges = {
  name: newView.name,
  shared: newView.shared,
  state: is.maybe(is.given({ type: 'object' })),
  position: is.whole({ from: 1, to: 10_000 }),
} as const

/** A saved view. The owner is null after leaving the workspace. */
const view = {
  id: is.id(),
  ...newView,
  owner: is.orNull(is.object({ id: is.id(), name: is.text() })),
  position: is.whole({ from: 1 }),
}

export type View = is.Shown<typeof view>
