import { EXPORTS_PER_TOKEN, EXPORTS_PER_WORKSPACE } from '@kith/contract/limits'
import { openPlaces, type Places } from './places.ts'

/** The exports of this process. */
export function openExports(): Places {
  return openPlaces({
    per_token: EXPORTS_PER_TOKEN,
    per_workspace: EXPORTS_PER_WORKSPACE,
    message: (holder, most) =>
      `Too many exports of ${holder} are running: at most ${most} at once are allowed. Wait until one of them ends.`,
  })
}
