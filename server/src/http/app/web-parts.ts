import type { DomainRule } from '../../accounts/domain-rules.ts'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { KnownDevices } from '../../accounts/sign-in/known-devices.ts'
import type { Attempt } from '../../accounts/sign-in/sign-in-limit.ts'
import type { SignInLookups } from '../../accounts/sign-in/sign-in-lookups.ts'
import type { Visit, Visitor } from '../../accounts/visits.ts'
import type { Changes } from '../../runtime/live-updates.ts'
import type { SendMail } from '../../runtime/mail.ts'
import type { Spent } from '../../runtime/rate-limit.ts'
import type { AppParts } from '../server.ts'
import type { SignInSite } from './web-request.ts'

/** What the application's private interface needs beside what all surfaces share. */
export type WebParts = SignInLookups & {
  signIn: SignIn
  findVisitor(visit: Visit): Promise<Visitor | undefined>
  noteVisit(visitor: Visitor, now: Date): void
  spendAttempt(attempt: Attempt): Promise<void>
  /** Takes one request from the bucket of a user. */
  spendOfUser(userId: string): Promise<Spent> | Spent
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Undefined where the service sends no mail. */
  sendMail: SendMail | undefined
  /** A workspace was deleted, and what is left of it can go. */
  wipeSoon(): void
  changes: Changes
  /** The sessions of the members of a workspace. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
  settleConsent(visitor: Visitor, input: unknown, caller: Caller): Promise<string>
  /** How people sign in here. */
  site: SignInSite
  /** What people join who come through the provider, and whether that counts as a second factor. */
  provider: { rules: readonly DomainRule[]; strong: boolean } | undefined
}

/** All that the routes of the application stand on. */
export type Parts = AppParts & { mediaType: string }
