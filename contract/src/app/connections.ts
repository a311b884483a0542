import type { Ability } from '../abilities.ts'

/** A row of `GET /connections`: a program that a member has let into the workspace. */
export type Connection = {
  id: string
  client: { id: string; name: string; uri: string | null }
  user: { id: string; name: string; email: string }
  abilities: Ability[]
  last_used_at: string | null
  created_at: string
}

/** `GET /oauth/consent`, with the query of the page: the client and the requested abilities. */
export type ConsentRequest = {
  client: {
    id: string
    name: string
    uri: string | null
    /** Where the answer goes. */
    returns_to: string
  }
  /** The abilities that can be granted. */
  abilities: Ability[]
  /** Never more than the program named: a program that names nothing gets read. */
  preselected: Ability[]
}

/** `POST /oauth/consent`: where the browser goes next. */
export type ConsentAnswer = { url: string }
