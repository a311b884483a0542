import type { Ability } from '../abilities.ts'

/** A row of `GET /tokens`. */
export type TokenRow = {
  id: string
  name: string
  user: { id: string; name: string; email: string }
  abilities: Ability[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

/** `POST /tokens`: the token itself is shown this once. */
export type FreshTokenAnswer = {
  id: string
  token: string
  name: string
  abilities: Ability[]
  expires_at: string | null
  created_at: string
}
