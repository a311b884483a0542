import { Entrance } from './entrance.tsx'

export function SetUp() {
  return (
    <Entrance title="Set up Kith">
      <span />
    </Entrance>
  )
}
