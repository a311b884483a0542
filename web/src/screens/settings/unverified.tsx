import { Pill } from '../../components/pill.tsx'
import { Tooltip } from '../../components/tooltip.tsx'

/** Marks an account with an unverified address: another person may have created it. */
export function Unverified() {
  return (
    <Tooltip text="This account has not confirmed its email address.">
      <span>
        <Pill tint="amber">Unverified</Pill>
      </span>
    </Tooltip>
  )
}
