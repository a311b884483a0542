import { Entrance } from './entrance.tsx'

export function Invitation() {
  return (
    <Entrance title="Join a workspace">
      <span />
    </Entrance>
  )
}
