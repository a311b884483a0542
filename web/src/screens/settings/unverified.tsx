import { Pill } from '../../components/pill.tsx'
import { Tooltip } from '../../components/tooltip.tsx'

/** Stands next to an account that has not proved its address: somebody else may have made it. */
export function Unverified() {
  return (
    <Tooltip text="This account has not proved that the email address is its own.">
      <span>
        <Pill tint="amber">Unverified</Pill>
      </span>
    </Tooltip>
  )
}
