import { Entrance } from './entrance.tsx'

export function Consent() {
  return (
    <Entrance title="Allow access">
      <span />
    </Entrance>
  )
}
