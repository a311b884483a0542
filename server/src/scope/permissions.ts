import type { Ability, Role } from '@kith/contract/abilities'
import { type Permission, permissions, roleMay } from '@kith/contract/permissions'
import { type RefusalReason, refuse } from '@kith/contract/refusal'
import type { ScopeFacts } from './scope.ts'

/** Refuses unless both the token and the member's role allow all of these. */
export function requireAbilities(scope: ScopeFacts, needed: readonly Ability[]): void {
  const lack = lackOf(scope, needed)
  if (lack) refuse(lack)
}

/** For what members of every role do for themselves: refuses unless the token allows all of these. */
export function requireGranted(scope: ScopeFacts, needed: readonly Ability[]): void {
  const lack = ungranted(scope, needed)
  if (lack) refuse(lack)
}

/** Why the token or the member's role does not allow all of these. */
export function lackOf(scope: ScopeFacts, needed: readonly Ability[]): RefusalReason | undefined {
  const [denied] = needed.flatMap((ability) => denialOf(scope, ability) ?? [])
  return ungranted(scope, needed) ?? denied
}

function ungranted({ actor: { abilities } }: ScopeFacts, needed: readonly Ability[]): RefusalReason | undefined {
  const lacking = needed.filter((ability) => !abilities.includes(ability))
  if (lacking.length === 0) return undefined
  const named = lacking.map((ability) => `"${ability}"`).join(' and ')
  const noun = lacking.length === 1 ? 'ability' : 'abilities'
  return { kind: 'forbidden', message: `This access token lacks the ${named} ${noun}.` }
}

/** Refuses unless the member's role allows this. */
export function requirePermission(scope: ScopeFacts, needed: Permission): void {
  const denied = denialOf(scope, needed)
  if (denied) refuse(denied)
}

function denialOf({ actor: { role } }: ScopeFacts, needed: Permission): RefusalReason | undefined {
  if (roleMay(role, needed)) return undefined
  const { allows, roles } = permissions[needed]
  const message = `Your role in this workspace (${role}) does not allow you to ${allows}. ${rolesIn(roles)} can.`
  return { kind: 'forbidden', message }
}

const ROLES = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** "Owners and admins" */
function rolesIn(roles: readonly Role[]): string {
  const text = ROLES.format(roles.map((role) => `${role}s`))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
