import { Entrance } from './entrance/entrance.tsx'
import { EntranceLink } from './entrance/entrance-link.tsx'

/** For addresses outside of every screen. */
export function NotFoundPage() {
  return (
    <Entrance
      title="There is nothing here"
      text="The address may be wrong, the record may have been deleted, or the workspace is not yours."
    >
      <EntranceLink to="/">Go home</EntranceLink>
    </Entrance>
  )
}
