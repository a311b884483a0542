import type { Role } from '../abilities.ts'

/** A row of `GET /members`. A member's id is the user's. */
export type MemberRow = {
  id: string
  name: string
  email: string
  /** Whether the address was proved to be theirs. */
  verified: boolean
  role: Role
  joined_at: string
}

/** A member with the id of the picture, under `/pictures/{id}`; null without one. */
export type PicturedMember = MemberRow & { picture: string | null }

/** A row of `GET /invitations`. */
export type InvitationRow = {
  id: string
  /** Null if everyone with the link may join. */
  email: string | null
  role: Role
  invited_by: { id: string; name: string }
  created_at: string
  expires_at: string
}

/** `POST /invitations`: the link is shown once. */
export type FreshInvitation = Omit<InvitationRow, 'invited_by'> & {
  url: string
  mailed: boolean
  /** Whether the account has not verified this address: another person may have created it. */
  unverified_account: boolean
}

/** `GET /invitations/{token}`, for the person who opened the link. */
export type OpenInvitation = {
  workspace: { name: string }
  email: string | null
  role: Role
  /** Whether the invited address has an account: then signing in comes first. */
  account_exists: boolean
}
