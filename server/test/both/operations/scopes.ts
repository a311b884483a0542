import type { Ability, Role } from '@kith/contract/abilities'
import type { Scope } from '../../../src/scope/scope.ts'

const DAY_MS = 86_400_000

/** The same scope some days from now. */
export function later(scope: Scope, days: number): Scope {
  return { ...scope, now: () => new Date(Date.now() + days * DAY_MS) }
}

/** The same scope with other abilities or in another role. */
export function as(scope: Scope, { abilities, role }: { abilities?: readonly Ability[]; role?: Role }): Scope {
  const { actor } = scope
  return { ...scope, actor: { ...actor, abilities: abilities ?? actor.abilities, role: role ?? actor.role } }
}
