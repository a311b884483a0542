import { VIEW_NAME_MAX } from '../limits.ts'
import { resourceNames } from '../resource.ts'
import { flag, given, id, line, maybe, object, or, orNull, type Shown, text, whole, word } from '../shape.ts'

/** What a user sets of a saved view. Only the application knows the content of its state. */
export const newView = {
  resource: word(resourceNames),
  name: line({ maxLength: VIEW_NAME_MAX }),
  shared: or(false, flag()),
  state: or({}, given<Readonly<Record<string, unknown>>>({ type: 'object' })),
} as const

/** The resource of a view never changes. */
export const viewChanges = {
  name: newView.name,
  shared: newView.shared,
  state: maybe(given({ type: 'object' })),
  position: whole({ from: 1, to: 10_000 }),
} as const

/** A saved view. The owner is null after leaving the workspace. */
const view = { id: id(), ...newView, owner: orNull(object({ id: id(), name: text() })), position: whole({ from: 1 }) }

export type View = Shown<typeof view>
