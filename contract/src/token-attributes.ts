import type { Ability, Role } from './abilities.ts'

/** How many a minute; null for a limit that is off. */
type TokenLimits = Readonly<Record<'workspace' | 'reads' | 'writes' | 'items', number | null>>

/** An access token, as the API returns it. */
export type TokenAttributes = {
  name: string
  abilities: readonly Ability[]
  /** Null if it never expires. */
  expires_at: string | null
  /** The role of its user, which must allow a request, too. */
  role: Role
  limits: TokenLimits
  workspace: { id: string; name: string; slug: string }
}
