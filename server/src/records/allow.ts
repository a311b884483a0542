import { type Ability, roleAllows } from '@kith/contract/abilities'
import { refuse } from '@kith/contract/refusal'
import type { ScopeFacts } from '../scope.ts'

/** Refuses unless both the token and the member's role allow all of these. */
export function requireAbilities(scope: ScopeFacts, needed: readonly Ability[]): void {
  const { abilities, role } = scope.actor
  const lacking = needed.filter((ability) => !abilities.includes(ability))
  if (lacking.length > 0) {
    const named = lacking.map((ability) => `"${ability}"`).join(' and ')
    const noun = lacking.length === 1 ? 'ability' : 'abilities'
    refuse({ kind: 'forbidden', message: `This access token lacks the ${named} ${noun}.` })
  }
  const denied = needed.find((ability) => !roleAllows(role, ability))
  if (denied) {
    refuse({
      kind: 'forbidden',
      message: `Your role in this workspace (${role}) does not allow you to ${denied} records.`,
    })
  }
}
