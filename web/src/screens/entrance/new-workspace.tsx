import { Entrance } from './entrance.tsx'

export function NewWorkspace() {
  return (
    <Entrance title="Make a workspace">
      <span />
    </Entrance>
  )
}
