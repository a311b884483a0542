import { Entrance } from './entrance.tsx'

export function ResetPassword() {
  return (
    <Entrance title="Choose a new password">
      <span />
    </Entrance>
  )
}
