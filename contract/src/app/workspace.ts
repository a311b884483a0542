import type { Role } from '../abilities.ts'
import type { ResourceName } from '../resource.ts'

/** `GET /workspace`. */
export type WorkspaceAnswer = {
  id: string
  slug: string
  name: string
  /** The role of the caller. */
  role: Role
  created_at: string
  paused: boolean
  /** Whether members open it only in a session that began with a second factor. */
  requires_second_factor: boolean
  /** Null where the software is self-hosted. */
  trial_ends_at: string | null
  /** How many live records there are of each resource. */
  counts: Record<ResourceName, number>
}

/** `GET /billing`, of a hosted installation. */
export type BillingAnswer = {
  /** Stripe's word for the subscription, or `trial` or `complimentary` without one. */
  status: string
  trial_days_left: number
  paused: boolean
  portal_url: string | null
}
