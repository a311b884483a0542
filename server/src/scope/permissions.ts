import type { Ability, Role } from '@kith/contract/abilities'
import { type Permission, permissions, roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { ScopeFacts } from './scope.ts'

/** Refuses unless both the token and the member's role allow all of these. */
export function requireAbilities(scope: ScopeFacts, needed: readonly Ability[]): void {
  const { abilities } = scope.actor
  const lacking = needed.filter((ability) => !abilities.includes(ability))
  if (lacking.length > 0) {
    const named = lacking.map((ability) => `"${ability}"`).join(' and ')
    const noun = lacking.length === 1 ? 'ability' : 'abilities'
    refuse({ kind: 'forbidden', message: `This access token lacks the ${named} ${noun}.` })
  }
  for (const ability of needed) requirePermission(scope, ability)
}

/** Refuses unless the member's role allows this. */
export function requirePermission({ actor: { role } }: ScopeFacts, needed: Permission): void {
  if (roleMay(role, needed)) return
  const { allows, roles } = permissions[needed]
  const message = `Your role in this workspace (${role}) does not allow you to ${allows}. ${rolesIn(roles)} can.`
  refuse({ kind: 'forbidden', message })
}

const ROLES = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** "Owners and admins" */
function rolesIn(roles: readonly Role[]): string {
  const text = ROLES.format(roles.map((role) => `${role}s`))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
